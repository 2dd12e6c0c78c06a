#include "jail/zygote.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jail/step_report.h"
#include "jail/tables.h"
#include "sys/c_strings.h"
#include "sys/run_program.h"
#include "sys/socket.h"

namespace jail {

namespace {

constexpr int kSetupSeconds = 20;

Plan plan_of(const ZygoteSpec& spec) {
  Plan plan;
  plan.root = spec.root;
  plan.first_id = spec.first_id;
  plan.devices.assign(device_table().begin(), device_table().end());
  plan.rlimits.assign(rlimit_table().begin(), rlimit_table().end());
  return plan;
}

// What a context finds in its own environment replaces this one.
Result<> execute_interpreter() {
  const std::vector<std::string> argv{"python3", "/" + std::string(kZygoteProgram), "/dev/cove-enter.so",
                                      "3"};
  const std::vector<std::string> environment{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/user",
                                             "USER=user", "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1"};
  auto arguments = sys::c_strings(argv);
  auto variables = sys::c_strings(environment);
  environ = variables.data();
  ::execvp(arguments[0], arguments.data());
  return base::failed_call("exec(python3)");
}

[[noreturn]] void zygote_main(Build& build) {
  ::umask(0);  // the modes in the plan are exact
  if (!run_steps(zygote_steps(), build, nullptr)) ::_exit(1);
  const auto failed = execute_interpreter();
  report_failure(build.report.get(), "execute interpreter", failed.error());
  ::_exit(1);
}

// Of all that the spawner holds open, a zygote gets nothing but its channel.
Result<> close_the_rest(const Build& build) {
  const Wiring& wiring = build.wiring;
  std::vector<int> keep{0, 1, 2, build.report.get(), wiring.nursery, wiring.id_map, wiring.channel.get()};
  for (const sys::UniqueFd& fd : wiring.group.join) keep.push_back(fd.get());
  return sys::close_all_but(std::move(keep));
}

}  // namespace

Result<sys::Clone> start_zygote(const ZygoteSpec& spec, Wiring& wiring) {
  ASSIGN_OR_RETURN(auto reports, sys::make_socket_pair(SOCK_SEQPACKET));
  RETURN_IF_ERROR(sys::set_receive_timeout(reports.ours.get(), kSetupSeconds));
  const Plan plan = plan_of(spec);
  ASSIGN_OR_RETURN(auto zygote, sys::clone_process({.cgroup = wiring.group.unified.get()}));
  if (zygote.is_child()) {
    reports.ours.reset();
    StepBoard board;
    Build build{.plan = plan, .wiring = wiring};
    build.report = std::move(reports.theirs);
    build.board = &board;
    if (auto closed = close_the_rest(build); !closed) {
      report_failure(build.report.get(), "close the rest", closed.error());
      ::_exit(1);
    }
    zygote_main(build);
  }
  reports.theirs.reset();
  // The other end closes with the exec.
  auto executed = receive_report(reports.ours.get());
  if (executed) return zygote;
  (void)sys::pidfd_kill(zygote.pidfd.get(), SIGKILL);
  (void)sys::wait_pidfd(zygote.pidfd.get());
  return std::unexpected(std::move(executed).error());
}

}  // namespace jail
