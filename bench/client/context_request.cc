#include "bench/client/context_request.h"

#include <atomic>

namespace bench {

namespace {

using base::Code;
using wire::spawner::Furniture;

class Counter : public engine::CellObserver {
 public:
  Result<> output(wire::init::Channel, std::string_view bytes) override {
    written += bytes.size();
    return {};
  }
  Result<> event(const engine::Bundle&) override {
    ++results;
    return {};
  }
  std::uint64_t written = 0;
  std::uint64_t results = 0;
};

constexpr std::uint64_t kMemory = 512ULL << 20;
constexpr std::uint64_t kPage = 4096;

// No two sandboxes that are to be made when asked for are alike: none is made ahead.
std::uint64_t memory_of_its_own() {
  static std::atomic<std::uint64_t> next{1};
  return kMemory + kPage * next++;
}

}  // namespace

Result<Start> start_of(std::string_view name) {
  if (name == "pooled") return Start::kPooled;
  if (name == "fresh") return Start::kFresh;
  if (name == "cold") return Start::kWithoutZygote;
  return base::fail(Code::kInvalid, "a start is pooled, fresh or cold, not " + std::string(name));
}

Result<Session> Session::begin(engine::SpawnerClient& spawner, const Cove& cove, Start start) {
  engine::SandboxOptions options{.root = cove.digest};
  options.memory_bytes = start == Start::kPooled ? kMemory : memory_of_its_own();
  options.furniture = start == Start::kPooled ? Furniture::kPythonContext : Furniture::kNone;
  const auto begin = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(auto made, engine::Sandbox::create(spawner, options));
  const auto created = std::chrono::steady_clock::now() - begin;
  auto sandbox = std::make_unique<engine::Sandbox>(std::move(made));
  const engine::ContextOptions how{
      .argv = {"python3", "/usr/lib/cove/runtimes/python/start.py"},
      .environment = engine::base_environment(wire::init::User::kUser, options),
      .birth = start == Start::kWithoutZygote ? engine::Birth::kCold : engine::Birth::kZygote};
  ASSIGN_OR_RETURN(auto context, engine::Context::start(*sandbox, spawner, how));
  Session session(std::move(sandbox), std::move(context));
  session.create_us_ = std::chrono::duration_cast<std::chrono::microseconds>(created).count();
  return session;
}

Result<std::uint64_t> Session::run(const std::string& code) {
  Counter counter;
  engine::Cell cell{.code = code, .timeout = std::chrono::seconds(120)};
  cell.output_cap = 1ULL << 30;
  ASSIGN_OR_RETURN(const auto outcome, context_.execute(cell, counter));
  if (outcome.cause == base::Cause::kOk) return counter.written;
  return base::fail(Code::kInternal, "the cell ended with " + std::string(base::name_of(outcome.cause)));
}

Result<> Session::end(engine::SpawnerClient& spawner) {
  RETURN_IF_ERROR(sandbox_->destroy(spawner, wire::spawner::Until::kKilled));
  return {};
}

}  // namespace bench
