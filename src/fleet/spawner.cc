#include "fleet/spawner.h"

#include <thread>

namespace fleet {

namespace {

constexpr std::chrono::milliseconds kBetweenTries{20};

}  // namespace

Result<engine::SpawnerClient> Spawner::take() {
  {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
      engine::SpawnerClient client = std::move(idle_.back());
      idle_.pop_back();
      if (client.is_connected()) return client;
    }
  }
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  while (true) {
    auto client = engine::SpawnerClient::connect(paths_);
    if (client) return client;
    if (std::chrono::steady_clock::now() >= deadline) {
      return base::fail(base::Code::kUnavailable,
                        "the spawner does not answer (" + client.error().message + "); try again later");
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

void Spawner::give_back(engine::SpawnerClient client) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(client));
}

io::Task<engine::Sandbox> Spawner::create(engine::SandboxOptions options) {
  options.lifetime = engine::Lifetime::kUntilDestroyed;
  return pool_.run([this, options = std::move(options)] {
    return with_client(
        [&](engine::SpawnerClient& client) { return engine::Sandbox::create(client, options); });
  });
}

io::Task<engine::Sandbox> Spawner::connect(std::string id, std::string socket_path) {
  return pool_.run([id = std::move(id), socket_path = std::move(socket_path)] {
    return engine::Sandbox::connect(id, socket_path);
  });
}

io::Task<wire::spawner::EndedAs> Spawner::destroy(std::string id, wire::spawner::Until until) {
  return pool_.run([this, id = std::move(id), until] {
    return with_client(
        [&](engine::SpawnerClient& client) { return engine::Sandbox::destroy(client, id, until); });
  });
}

}  // namespace fleet
