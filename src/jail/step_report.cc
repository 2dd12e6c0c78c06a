#include "jail/step_report.h"

#include <chrono>

#include "sys/socket.h"

namespace jail {

namespace {
Result<> send(int socket, const StepReport& report, std::span<const int> fds = {}) {
  return sys::send_packet(socket, std::as_bytes(std::span(&report, 1)), fds);
}

Result<> run_step(const Step& step, Build& build, StepHook* hook) {
  if (hook == nullptr) return step.run(build);
  ASSIGN_OR_RETURN(const auto then, hook->before(step.name, build));
  return then == StepHook::Then::kRunStep ? step.run(build) : Result<>();
}
}  // namespace

Result<> run_steps(std::span<const Step> steps, Build& build, StepHook* hook) {
  using Clock = std::chrono::steady_clock;
  for (const Step& step : steps) {
    const auto start = Clock::now();
    auto done = run_step(step, build, hook);
    StepReport report;
    report.name.set(step.name);
    report.microseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
    // A step that nobody has heard of counts as not done.
    if (done) done = send(build.report.get(), report);
    if (!done) {
      report_failure(build.report.get(), step.name, done.error());
      return done;
    }
  }
  return {};
}

void report_failure(int socket, const char* step, const base::Error& error) {
  StepReport report{.kind = StepReport::kFailed,
                    .code = static_cast<std::uint32_t>(error.code),
                    .sys_errno = error.sys_errno};
  report.name.set(step);
  report.message.set(error.message);
  // When the spawner is gone there is nobody to tell, and the next one cleans up.
  (void)send(socket, report);
}

Result<> report_birth(int socket, pid_t pid, int pidfd) {
  StepReport report{.kind = StepReport::kBorn, .pid = pid};
  const int fds[] = {pidfd};
  return send(socket, report, fds);
}

}  // namespace jail
