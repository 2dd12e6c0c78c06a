#include "jail/step_report.h"

#include <chrono>

#include "sys/socket.h"

namespace jail {

namespace {
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
    if (auto done = run_step(step, build, hook); !done) {
      report_failure(build.report.get(), step.name, done.error());
      return done;
    }
    build.board->microseconds[build.board->done++] = static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
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
  (void)sys::send_packet(socket, std::as_bytes(std::span(&report, 1)));
}

Result<> report_made(int socket, pid_t pid, int fd) {
  const StepReport report{.kind = StepReport::kMade, .pid = pid};
  return sys::send_packet(socket, std::as_bytes(std::span(&report, 1)), std::span(&fd, 1));
}

Result<std::optional<Received>> receive_report(int socket) {
  StepReport report;
  auto packet = sys::receive_packet(socket, std::as_writable_bytes(std::span(&report, 1)));
  if (!packet && packet.error().sys_errno == EAGAIN) {
    auto error = base::with_context("setup did not finish in time", std::move(packet).error());
    error.code = base::Code::kTimeout;
    return std::unexpected(std::move(error));
  }
  if (!packet) return std::unexpected(std::move(packet).error());
  if (packet->size == 0) return std::optional<Received>();
  const bool whole = packet->size == sizeof report;
  if (whole && report.kind == StepReport::kFailed) {
    return std::unexpected(base::Error{
        static_cast<base::Code>(report.code),
        std::string(report.name.view()) + ": " + std::string(report.message.view()), report.sys_errno});
  }
  if (!whole || packet->fds.size() != 1) return base::fail(base::Code::kInternal, "malformed step report");
  return std::optional(Received{.pid = report.pid, .fd = std::move(packet->fds.front())});
}

}  // namespace jail
