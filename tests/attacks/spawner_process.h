#pragma once

#include <string>

#include "base/paths.h"
#include "engine/spawner_client.h"
#include "sys/process.h"

namespace attacks {

using base::Result;

// A spawner with a state directory of its own, in which the template `base` of the tests appears read-only.
// Ends with its owner.
class SpawnerProcess {
 public:
  static Result<SpawnerProcess> start(const std::string& program, const std::string& state,
                                      const std::string& config = "");
  SpawnerProcess(SpawnerProcess&&) = default;
  SpawnerProcess& operator=(SpawnerProcess&&) = default;

  engine::SpawnerClient& client() { return client_; }
  const std::string& base_template() const { return digest_; }
  const base::Paths& paths() const { return paths_; }
  pid_t pid() const { return process_.pid; }
  // Whether it ended in peace.
  Result<> stop();

 private:
  SpawnerProcess(base::Paths paths, sys::Clone process, engine::SpawnerClient client, std::string digest)
      : paths_(std::move(paths)),
        process_(std::move(process)),
        client_(std::move(client)),
        digest_(std::move(digest)) {}

  base::Paths paths_;
  sys::Clone process_;
  engine::SpawnerClient client_;
  std::string digest_;
};

}  // namespace attacks
