// engine: the domain. Sandboxes, runs and receipts as callers think of them; it knows no HTTP and no SQL, and
// reaches the machine only through the spawner and a sandbox's own init.
#pragma once

#include <chrono>
#include <string>

#include "base/ids.h"
#include "base/paths.h"
#include "sys/fd.h"
#include "wire/spawner_messages.h"

namespace engine {

using base::Result;

struct SpawnerLaunch {
  std::string program;  // cove-spawner
  std::string config;   // empty: the default
  std::chrono::seconds linger{60};
};

// A connection to the root process. One request at a time.
class SpawnerClient {
 public:
  static Result<SpawnerClient> connect(const base::Paths& paths);
  // Connects, starting a spawner first when none serves this state directory. Safe against others doing the
  // same.
  static Result<SpawnerClient> connect_or_start(const base::Paths& paths, const SpawnerLaunch& launch);

  // False: the spawner has gone, or this connection is of no use any more.
  bool is_connected() const;

  template <class Message>
  Result<wire::spawner::Reply> call(const Message& message) {
    return exchange(wire::spawner::packet_of(message));
  }

 private:
  static Result<SpawnerClient> reach(const base::Paths& paths);
  static Result<SpawnerClient> await_service(const base::Paths& paths, int alive);
  explicit SpawnerClient(sys::UniqueFd socket) : socket_(std::move(socket)) {}
  Result<wire::spawner::Reply> exchange(std::span<const std::byte> packet);

  sys::UniqueFd socket_;
};

}  // namespace engine
