#include "cli/receipt.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/units.h"
#include "cli/command.h"
#include "cli/receipt_files.h"

namespace cli {

namespace {

using base::Cause;

// A whole number where it is one: 1, not 1E0.
boost::json::value cpus_of(std::uint32_t millis) {
  if (millis % 1000 == 0) return millis / 1000;
  return static_cast<double>(millis) / 1000.0;
}

boost::json::array limits_hit(const engine::Outcome& outcome) {
  boost::json::array names;
  for (const base::Limit limit : base::kAllLimits) {
    if ((outcome.limits_hit & base::bit(limit)) != 0) names.emplace_back(base::name_of(limit));
  }
  return names;
}

boost::json::object limits_of(const Receipt& receipt) {
  return {{"cpus", cpus_of(receipt.ground.options.cpu_millis)},
          {"memory_bytes", receipt.ground.options.memory_bytes},
          {"disk_bytes", receipt.disk_bytes},
          {"max_processes", receipt.ground.options.max_pids},
          {"timeout_ms", receipt.ground.timeout.count()},
          {"output_bytes", receipt.ground.output_cap}};
}

boost::json::object setup_of(const Receipt& receipt) {
  boost::json::array steps;
  for (const auto& step : receipt.setup) {
    steps.push_back({{"step", step.name}, {"us", step.time.count()}});
  }
  return {{"us", receipt.create_time.count()}, {"steps", std::move(steps)}};
}

}  // namespace

Receipt receipt_of(const Stay& stay, const Ground& ground, const engine::Outcome& outcome,
                   engine::FileChanges files) {
  return {.outcome = outcome,
          .ground = ground,
          .disk_bytes = stay.sandbox().disk_bytes(),
          .sandbox = stay.sandbox().id(),
          .seccomp = stay.sandbox().seccomp(),
          .setup = stay.sandbox().setup(),
          .create_time = stay.create_time(),
          .files = std::move(files)};
}

boost::json::object receipt_json(const Receipt& receipt) {
  const auto& usage = receipt.outcome.usage;
  return {
      {"cause", base::name_of(receipt.outcome.cause)},
      {"exit_code", receipt.outcome.exit_code},
      {"signal", receipt.outcome.signal},
      {"receipt",
       {{"sandbox", receipt.sandbox},
        {"template", receipt.ground.template_name},
        {"wall_us", usage.wall_us},
        {"cpu_us", usage.cpu_us},
        {"peak_memory_bytes", usage.peak_memory_bytes},
        {"output",
         {{"stdout_bytes", usage.stdout_bytes},
          {"stderr_bytes", usage.stderr_bytes},
          {"dropped_bytes", usage.dropped_bytes}}},
        {"files", files_json(receipt.files)},
        {"limits_hit", limits_hit(receipt.outcome)},
        {"limits", limits_of(receipt)},
        {"network", {{"tier", "restricted"}, {"attempts", boost::json::array()}}},
        {"seccomp", receipt.seccomp},
        {"setup", setup_of(receipt)}}},
  };
}

std::string receipt_text(const Receipt& receipt) {
  const auto& usage = receipt.outcome.usage;
  return fmt::format(
      "cause        {}\n"
      "exit code    {}\n"
      "time         {} wall, {} CPU\n"
      "memory       {} at its peak, of {}\n"
      "output       {} stdout, {} stderr{}\n"
      "files        {}\n"
      "sandbox      {} from template {}, made in {}\n",
      base::name_of(receipt.outcome.cause), receipt.outcome.exit_code,
      base::format_duration(std::chrono::microseconds(usage.wall_us)),
      base::format_duration(std::chrono::microseconds(usage.cpu_us)),
      base::format_bytes(usage.peak_memory_bytes), base::format_bytes(receipt.ground.options.memory_bytes),
      base::format_bytes(usage.stdout_bytes), base::format_bytes(usage.stderr_bytes),
      usage.dropped_bytes == 0 ? "" : fmt::format(", {} dropped", base::format_bytes(usage.dropped_bytes)),
      files_text(receipt.files, receipt.ground.cwd), receipt.sandbox, receipt.ground.template_name,
      base::format_duration(receipt.create_time));
}

std::string verdict_line(const Receipt& receipt) {
  const engine::Outcome& outcome = receipt.outcome;
  switch (outcome.cause) {
    case Cause::kTimeout:
      return fmt::format("timeout after {}; --timeout sets it",
                         base::format_duration(std::chrono::microseconds(receipt.ground.timeout)));
    case Cause::kOutOfMemory:
      return fmt::format("out of memory ({}); --memory sets the limit",
                         base::format_bytes(receipt.ground.options.memory_bytes));
    case Cause::kDiskFull:
      return fmt::format("the disk is full ({}); --disk sets its size",
                         base::format_bytes(receipt.disk_bytes));
    case Cause::kPidsLimit:
      return fmt::format("the limit of {} processes was reached; --pids sets it",
                         receipt.ground.options.max_pids);
    case Cause::kCrashed:
      return fmt::format("crashed by signal {}", outcome.signal);
    case Cause::kInterrupted:
      return "interrupted";
    case Cause::kSandboxEnded:
      return "the sandbox ended before the program did";
    default:
      break;
  }
  if (outcome.usage.dropped_bytes == 0) return {};
  return fmt::format("output limit of {} reached: {} more bytes were dropped",
                     base::format_bytes(receipt.ground.output_cap), outcome.usage.dropped_bytes);
}

int exit_code_of(const engine::Outcome& outcome) {
  switch (outcome.cause) {
    case Cause::kTimeout:
      return kExitTimeout;
    case Cause::kOutOfMemory:
      return kExitOutOfMemory;
    case Cause::kInterrupted:
    case Cause::kCancelled:
      return kExitInterrupted;
    case Cause::kContextLost:
    case Cause::kSandboxEnded:
      return kExitCoveFailed;
    default:
      return outcome.signal != 0 ? kExitSignalBase + outcome.signal : outcome.exit_code;
  }
}

void tell_people(const Receipt& receipt, Show show) {
  if (const std::string line = verdict_line(receipt); !line.empty()) fmt::print(stderr, "cove: {}\n", line);
  if (show == Show::kText) fmt::print(stderr, "\n{}", receipt_text(receipt));
}

}  // namespace cli
