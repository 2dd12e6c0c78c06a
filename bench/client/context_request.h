#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bench/client/cove_request.h"
#include "engine/context.h"

namespace bench {

// How a sandbox comes to be: from those made ahead, with a context in it, or when it is asked for. Both from
// the template's zygote; `kWithoutZygote` starts an interpreter.
enum class Start { kPooled, kFresh, kWithoutZygote };
Result<Start> start_of(std::string_view name);

// A sandbox with a live context.
class Session {
 public:
  static Result<Session> begin(engine::SpawnerClient& spawner, const Cove& cove, Start start);

  // The bytes that it wrote; anything but `ok` is an error.
  Result<std::uint64_t> run(const std::string& code);
  Result<> end(engine::SpawnerClient& spawner);
  const std::string& sandbox() const { return sandbox_->id(); }
  // How long it took to have a sandbox; the rest of the beginning is the context's.
  std::int64_t create_us() const { return create_us_; }

 private:
  Session(std::unique_ptr<engine::Sandbox> sandbox, engine::Context context)
      : sandbox_(std::move(sandbox)), context_(std::move(context)) {}

  std::unique_ptr<engine::Sandbox> sandbox_;  // where the context finds it
  engine::Context context_;
  std::int64_t create_us_ = 0;
};

}  // namespace bench
