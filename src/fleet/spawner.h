#pragma once

#include <mutex>
#include <vector>

#include "engine/sandbox.h"
#include "io/pool.h"

namespace fleet {

using base::Result;

// The spawner, for tasks: its calls block, so each is made on a thread of a pool, over a connection of its
// own. A spawner that was started again is found again; one that is away is waited for, for a moment.
// Outlives the tasks that call it.
class Spawner {
 public:
  // `patience`: how long one is waited for that does not take calls.
  explicit Spawner(base::Paths paths, std::size_t threads = 8,
                   std::chrono::milliseconds patience = std::chrono::seconds(3))
      : paths_(std::move(paths)), patience_(patience), pool_(threads) {}

  // The reply of a request that was carried out; an error is the spawner's own, or kUnavailable. A request
  // whose answer was lost may have been carried out.
  template <class Request>
  io::Task<wire::spawner::Reply> call(Request request) {
    return pool_.run([this, request]() -> Result<wire::spawner::Reply> {
      return with_client([&](engine::SpawnerClient& client) { return client.call(request); });
    });
  }
  // One that lives until it is destroyed, with a connection to it. Nothing is left of one that fails.
  io::Task<engine::Sandbox> create(engine::SandboxOptions options);
  // To one that another server has made.
  io::Task<engine::Sandbox> connect(std::string id, std::string socket_path);
  // Answered when its processes are killed, or when nothing of it is left. One that is unknown is gone.
  io::Task<wire::spawner::EndedAs> destroy(std::string id, wire::spawner::Until until);

 private:
  Result<engine::SpawnerClient> take();
  void give_back(engine::SpawnerClient client);
  template <class Call>
  auto with_client(Call call) -> decltype(call(std::declval<engine::SpawnerClient&>())) {
    ASSIGN_OR_RETURN(auto client, take());
    auto answer = call(client);
    if (client.is_connected()) give_back(std::move(client));
    return answer;
  }

  const base::Paths paths_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::vector<engine::SpawnerClient> idle_;  // guarded by mutex_
  io::Pool pool_;                            // last: its threads end first
};

}  // namespace fleet
