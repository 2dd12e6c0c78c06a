#include "cli/context_run.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "cli/json_events.h"
#include "cli/text_events.h"
#include "engine/lasting_context.h"
#include "sys/file.h"

namespace cli {

namespace {

constexpr std::size_t kMaxInput = 1 << 20;

// Nobody wants more of what was interrupted, and a sandbox that is gone runs nothing.
bool goes_on_after(base::Cause cause, const ContextJob& job) {
  using base::Cause;
  if (cause == Cause::kOk) return true;
  return job.after_failure == AfterFailure::kGoOn && cause != Cause::kInterrupted &&
         cause != Cause::kCancelled && cause != Cause::kSandboxEnded;
}

// The code says itself what it raised; of all else the verdict at the end tells the first only.
void tell_of_failure(base::Cause cause) {
  if (cause == base::Cause::kOk || cause == base::Cause::kError) return;
  fmt::print(stderr, "cove: {}; the next cell runs all the same\n", base::name_of(cause));
}

// Of the first cell that failed, or of the last one; with the limits that any of them hit.
Result<engine::Outcome> run_all(Stay& stay, const ContextJob& job, CellEvents& events) {
  engine::LastingContext context(stay.sandbox(), stay.spawner(), context_options(job.ground, *job.language));
  RETURN_IF_ERROR(explained_start(context.start(), job.ground, *job.language));
  engine::Outcome told{.cause = base::Cause::kOk};
  std::uint32_t limits_hit = 0;
  for (const std::string& code : job.cells) {
    RETURN_IF_ERROR(events.begin());
    engine::Cell cell = cell_of(job.ground, *job.language, code);
    cell.input = job.input;
    ASSIGN_OR_RETURN(const auto outcome, context.execute(cell, events));
    RETURN_IF_ERROR(events.end(outcome));
    if (told.cause == base::Cause::kOk) told = outcome;
    limits_hit |= outcome.limits_hit;
    if (!goes_on_after(outcome.cause, job)) break;
    tell_of_failure(outcome.cause);
  }
  told.limits_hit = limits_hit;
  return told;
}

std::unique_ptr<CellEvents> events_of(const ContextJob& job, Terminal& terminal, OutputFiles files) {
  if (job.show == Show::kJson) return std::make_unique<JsonEvents>(terminal, std::move(files));
  return std::make_unique<TextEvents>(terminal, std::move(files));
}

}  // namespace

engine::ContextOptions context_options(const Ground& ground, const Language& language) {
  return {.argv = {language.context.begin(), language.context.end()},
          .environment = ground.environment,
          .cwd = ground.cwd,
          .user = ground.user,
          .birth = language.has_zygote ? engine::Birth::kZygoteIfReady : engine::Birth::kCold};
}

engine::SandboxOptions options_for_context(const Ground& ground, const Language& language) {
  engine::SandboxOptions options = ground.options;
  if (language.has_zygote) options.furniture = wire::spawner::Furniture::kPythonContext;
  return options;
}

engine::Cell cell_of(const Ground& ground, const Language& language, const std::string& code) {
  return {.code = code,
          .language = std::string(language.dialect),
          .timeout = ground.timeout,
          .output_cap = ground.output_cap};
}

Result<> explained_start(Result<> started, const Ground& ground, const Language& language) {
  if (started) return started;
  return base::fail(
      base::Code::kUnavailable,
      fmt::format("template {} cannot start a context of {}: {}; build it anew: cove template build {}",
                  ground.template_name, language.name, started.error().message, ground.template_name));
}

Result<int> run_cells(const Globals& globals, const ContextJob& job) {
  ASSIGN_OR_RETURN(auto files, OutputFiles::in(job.out));
  ASSIGN_OR_RETURN(auto terminal, Terminal::open());
  const auto events = events_of(job, terminal, std::move(files));
  ASSIGN_OR_RETURN(auto stay, Stay::begin(globals, options_for_context(job.ground, *job.language)));
  WatchedFiles watched(stay, job.ground, job.show);
  auto ran = run_all(stay, job, *events);
  auto changes = watched.changes();
  ASSIGN_OR_RETURN(const auto outcome, stay.end_with(std::move(ran)));
  const Receipt receipt = receipt_of(stay, job.ground, outcome, std::move(changes));
  tell_people(receipt, job.show);
  RETURN_IF_ERROR(events->receipt(receipt_json(receipt)));
  return exit_code_of(outcome);
}

Result<std::string> read_input(const std::string& path) {
  return path == "-" ? sys::read_all(0, kMaxInput) : sys::read_file(path, kMaxInput);
}

}  // namespace cli
