#pragma once

#include "engine/spawner_client.h"
#include "supervisor/supervise.h"
#include "sys/start_program.h"

namespace supervisor {

// The spawner, and a connection that tells it that it is needed: without one, and without a sandbox, it goes.
struct SpawnerChild {
  sys::Started process;
  engine::SpawnerClient connection;
};

// Takes the place of one that the command line has started, and returns when it serves. Sandboxes stay.
Result<SpawnerChild> start_spawner(const Plan& plan, const sys::SystemUser& client);
// What a spawner that has ended said last.
std::string last_words_of_spawner(const base::Paths& paths);

struct ServerChild {
  sys::Started process;
  sys::UniqueFd ready;  // hangs up when it is told (tell_ready), or when the server ends before
};

// What every server of one `cove serve` inherits.
struct Inheritance {
  int life = -1;  // ServerCommand::life_fd
  int lock = -1;  // ServeLock
};
Result<ServerChild> start_server(const Plan& plan, const sys::SystemUser& user, const Inheritance& inherited);

}  // namespace supervisor
