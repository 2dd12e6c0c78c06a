#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/metrics.h"
#include "api/readiness.h"
#include "api/roster.h"
#include "api/templates_at_hand.h"
#include "api/terminal_seats.h"
#include "auth/keyring.h"
#include "base/config.h"
#include "base/log.h"
#include "fleet/fleet.h"
#include "io/loop.h"
#include "io/pool.h"
#include "io/task_group.h"
#include "store/store.h"

namespace api {

// What handlers work with. Made and owned by the server's main program; outlives every call.
struct Services {
  io::Loop& loop;
  io::TaskGroup& behind;  // what goes on after an answer
  io::Pool& pool;         // for calls to the store
  store::Store& store;
  auth::Keyring& keyring;
  fleet::Fleet& fleet;
  fleet::Spawner& spawner;
  Roster& roster;
  TemplatesAtHand& templates;
  const base::Config& config;
  base::Log& log;
  Metrics& metrics;
  std::string signing_key;  // of URLs; random, for as long as the server runs
  std::uint64_t bodies_in_memory = 0;
  std::function<std::size_t()> connections = {};  // how many clients have, for metrics
  TerminalSeats terminals = {};
  Readiness readiness{loop};
};

}  // namespace api
