#include "bench/client/steps.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <thread>

#include "sys/retry.h"
#include "sys/socket.h"

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

// Times by name, in the order of first appearance.
class Times {
 public:
  void add(const std::string& name, double microseconds) {
    auto row = std::ranges::find(rows_, name, &Row::name);
    if (row == rows_.end()) row = rows_.insert(rows_.end(), Row{.name = name, .values = {}});
    row->values.push_back(microseconds);
  }

  void print(const char* title) {
    fmt::print("{:34} {:>9} {:>9} {:>9} {:>9} {:>6}\n", title, "p50 us", "p90 us", "p99 us", "mean us", "n");
    for (Row& row : rows_) {
      std::ranges::sort(row.values);
      double sum = 0;
      for (const double value : row.values) sum += value;
      fmt::print("  {:32} {:9.0f} {:9.0f} {:9.0f} {:9.0f} {:6}\n", row.name, at(row, 50), at(row, 90),
                 at(row, 99), sum / static_cast<double>(row.values.size()), row.values.size());
    }
  }

 private:
  struct Row {
    std::string name;
    std::vector<double> values;
  };
  static double at(const Row& row, std::size_t percent) {
    return row.values[row.values.size() * percent / 100];
  }

  std::vector<Row> rows_;
};

// Adds the time since it was last asked.
class Lap {
 public:
  explicit Lap(Times& times) : times_(times) {}
  void end(const std::string& phase) {
    const auto now = Clock::now();
    times_.add(phase, std::chrono::duration<double, std::micro>(now - last_).count());
    last_ = now;
  }

 private:
  Times& times_;
  Clock::time_point last_ = Clock::now();
};

struct Tables {
  Times phases;
  Times steps;
};

Result<> whole_life_in_phases(engine::SpawnerClient& spawner, const Cove& cove, const StepsOptions& options,
                              Tables& tables) {
  engine::SandboxOptions sandbox_options;
  sandbox_options.root = cove.digest;
  const engine::Command command = command_of(options.argv);
  Lap whole(tables.phases);
  Lap lap(tables.phases);
  ASSIGN_OR_RETURN(auto sandbox, engine::Sandbox::create(spawner, sandbox_options));
  lap.end("create, connect, hello");
  const auto ran = run_in(sandbox, command);
  lap.end("run");
  RETURN_IF_ERROR(sandbox.destroy(spawner, wire::spawner::Until::kKilled));
  lap.end("destroy");
  whole.end("whole request");
  double sum = 0;
  for (const auto& step : sandbox.setup()) {
    tables.steps.add(step.name, static_cast<double>(step.time.count()));
    sum += static_cast<double>(step.time.count());
  }
  tables.steps.add("all steps", sum);
  return ran;
}

Result<> await_hello(const std::string& socket) {
  ASSIGN_OR_RETURN(const auto connection, sys::connect_unix(socket, SOCK_STREAM));
  std::array<char, 256> hello;
  const ssize_t n = sys::retry([&] { return ::recv(connection.get(), hello.data(), hello.size(), 0); });
  if (n < 0) return base::failed_call("recv");
  if (n == 0) return base::fail(base::Code::kUnavailable, "the sandbox's init said nothing");
  return {};
}

// The same without a run and without the engine, whose create() does two things at once.
Result<> empty_life_in_phases(engine::SpawnerClient& spawner, const Cove& cove, Times& phases) {
  const engine::SandboxOptions defaults;
  wire::spawner::Create request;
  request.root.set(cove.digest);
  request.memory_bytes = defaults.memory_bytes;
  request.disk_bytes = defaults.disk_bytes;
  request.cpu_millis = defaults.cpu_millis;
  request.max_pids = defaults.max_pids;
  Lap lap(phases);
  ASSIGN_OR_RETURN(const auto reply, spawner.call(request));
  lap.end("(no run) create reply");
  RETURN_IF_ERROR(await_hello(std::string(reply.socket.view())));
  lap.end("(no run) connect, hello");
  wire::spawner::Destroy destroy;
  destroy.sandbox = reply.sandbox;
  RETURN_IF_ERROR(spawner.call(destroy));
  lap.end("(no run) destroy");
  return {};
}

}  // namespace

Result<> print_steps(const Cove& cove, const StepsOptions& options) {
  ASSIGN_OR_RETURN(auto spawner, cove.connect());
  constexpr int kWarmup = 5;
  Tables tables;
  for (int i = -kWarmup; i < options.runs; ++i) {
    if (i == 0) tables = {};
    std::this_thread::sleep_for(options.pace);
    RETURN_IF_ERROR(whole_life_in_phases(spawner, cove, options, tables));
    std::this_thread::sleep_for(options.pace);
    RETURN_IF_ERROR(empty_life_in_phases(spawner, cove, tables.phases));
  }
  tables.phases.print("phases, seen by the client");
  tables.steps.print("steps, told by the spawner");
  return {};
}

}  // namespace bench
