#include "jail/builder.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "jail/step_report.h"
#include "sys/process.h"
#include "sys/run_program.h"
#include "sys/socket.h"

namespace jail {

namespace {

constexpr std::chrono::seconds kSetupTime{20};

std::string hex(sys::CapMask mask) {
  std::array<char, 24> text{};
  (void)std::snprintf(text.data(), text.size(), "%llx", static_cast<unsigned long long>(mask));
  return text.data();
}

Result<> execute_init(const Build& build) {
  std::string name = "cove-init";
  std::string user_caps = hex(build.plan.process.user_capabilities);
  std::string root_caps = hex(build.plan.process.root_capabilities);
  char* const argv[] = {name.data(), user_caps.data(), root_caps.data(), nullptr};
  char* const envp[] = {nullptr};
  return sys::execveat(build.program.get(), argv, envp);
}

// Pid 1 of the sandbox, until it is cove-init.
[[noreturn]] void inside_main(Build& build, StepHook* hook) {
  if (run_steps(inside_steps(), build, hook)) {
    const auto failed = execute_init(build);
    report_failure(build.report.get(), "execute init", failed.error());
  }
  ::_exit(1);
}

// `go` outlives this: while it is open pid 1 waits, and so the failure that is told is the first one.
Result<> give_birth(Build& build, StepHook* hook, sys::Pipe& go) {
  ASSIGN_OR_RETURN(go, sys::make_pipe());
  build.go = std::move(go.read);
  // CLONE_PARENT: pid 1 is the spawner's child, not the helper's, so that the spawner learns of its end.
  ASSIGN_OR_RETURN(const auto child, sys::clone_process({.flags = build.plan.namespaces | CLONE_PARENT}));
  if (child.is_child()) {
    go.write.reset();
    inside_main(build, hook);
  }
  RETURN_IF_ERROR(sys::write_id_maps(child.pid, build.plan.ids));
  RETURN_IF_ERROR(report_made(build.report.get(), child.pid, child.pidfd.get()));
  return sys::write_all(go.write.get(), "g");
}

// Of all that the spawner holds open, a sandbox's processes get what this one is built with, even before the
// exec: no client's connection, no other sandbox's disk.
Result<> close_the_rest(const Build& build) {
  const Wiring& wiring = build.wiring;
  std::vector<int> keep{0,
                        1,
                        2,
                        build.report.get(),
                        wiring.nursery,
                        wiring.id_map,
                        wiring.process_filter,
                        wiring.materials->init_program.get()};
  for (const sys::UniqueFd* fd :
       {&wiring.group.unified, &wiring.group.gauges.oom, &wiring.group.gauges.oom_notify,
        &wiring.group.gauges.memory_peak, &wiring.group.gauges.pids, &wiring.network, &wiring.leash,
        &wiring.disk, &wiring.listener, &wiring.workspace, &wiring.workspace_id_map}) {
    keep.push_back(fd->get());
  }
  for (const sys::UniqueFd& fd : wiring.group.join) keep.push_back(fd.get());
  std::erase_if(keep, [](int fd) { return fd < 0; });
  return sys::close_all_but(std::move(keep));
}

[[noreturn]] void helper_main(Build& build, StepHook* hook) {
  // Half-made things die with the spawner; what it completes does not.
  if (auto bound = sys::set_death_signal(SIGKILL); !bound) {
    report_failure(build.report.get(), "be the spawner's", bound.error());
    ::_exit(1);
  }
  // A test's hook may hold descriptors of its own.
  if (auto closed = hook == nullptr ? close_the_rest(build) : Result<>(); !closed) {
    report_failure(build.report.get(), "close the rest", closed.error());
    ::_exit(1);
  }
  ::umask(0);  // the modes in the plan are exact
  if (!run_steps(host_steps(), build, hook)) ::_exit(1);
  sys::Pipe go;
  if (auto born = give_birth(build, hook, go); !born) {
    report_failure(build.report.get(), "give birth", born.error());
    ::_exit(1);
  }
  ::_exit(0);
}

// By the order of the two tables. The board is written by others: its count is not taken for granted.
std::vector<StepDuration> read_board(const StepBoard& board) {
  std::vector<StepDuration> durations;
  for (const auto& steps : {host_steps(), inside_steps()}) {
    for (const Step& step : steps) {
      if (durations.size() >= std::min<std::size_t>(board.done, board.microseconds.size())) return durations;
      durations.push_back({step.name, board.microseconds[durations.size()]});
    }
  }
  return durations;
}

base::Error killed(const std::vector<StepDuration>& steps, const std::string& how) {
  const std::string when = steps.empty() ? "before its first step" : "after " + steps.back().name;
  return {base::Code::kInternal, "setup " + how + " " + when};
}

}  // namespace

void Building::Unmap::operator()(StepBoard* board) const { ::munmap(board, sizeof(StepBoard)); }

// A page of memory that stays shared across clone, until the exec of init leaves it behind.
Result<Building::SharedBoard> Building::share_board() {
  void* const page =
      ::mmap(nullptr, sizeof(StepBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return base::failed_call("mmap");
  return SharedBoard(new (page) StepBoard);
}

Building::Building(sys::Clone helper, sys::UniqueFd reports, SharedBoard board)
    : helper_(std::move(helper)),
      reports_(std::move(reports)),
      board_(std::move(board)),
      deadline_(Clock::now() + kSetupTime) {}

Result<Building> Building::start(const Plan& plan, Wiring& wiring, StepHook* hook) {
  ASSIGN_OR_RETURN(auto reports, sys::make_socket_pair(SOCK_SEQPACKET));
  RETURN_IF_ERROR(sys::set_receive_timeout(reports.ours.get(), static_cast<int>(kSetupTime.count())));
  ASSIGN_OR_RETURN(auto board, share_board());
  ASSIGN_OR_RETURN(auto helper, sys::clone_process({.cgroup = wiring.group.unified.get()}));
  if (helper.is_child()) {
    reports.ours.reset();
    Build state{.plan = plan, .wiring = wiring};
    state.report = std::move(reports.theirs);
    state.board = board.get();
    helper_main(state, hook);
  }
  return Building(std::move(helper), std::move(reports.ours), std::move(board));
}

bool Building::is_over() const {
  pollfd end{.fd = reports_.get(), .events = 0, .revents = 0};
  return ::poll(&end, 1, 0) == 1 || Clock::now() >= deadline_;
}

// Reads reports until the last process of the attempt has ended or executed.
Result<Built> Building::collect() const {
  Built built;
  while (true) {
    if (Clock::now() >= deadline_) {
      return std::unexpected(killed(read_board(*board_), "took too long"));
    }
    ASSIGN_OR_RETURN(auto report, receive_report(reports_.get()));
    if (!report) break;
    built.pid = report->pid;
    built.pidfd = std::move(report->fd);
  }
  built.steps = read_board(*board_);
  const std::size_t all = host_steps().size() + inside_steps().size();
  if (built.steps.size() == all && built.pidfd) return built;
  return std::unexpected(killed(built.steps, "was killed"));
}

Result<Built> Building::finish() {
  auto built = collect();
  (void)sys::pidfd_kill(helper_.pidfd.get(), SIGKILL);
  // It may have been reaped already, by whoever reaps every child.
  (void)sys::wait_pidfd(helper_.pidfd.get());
  return built;
}

}  // namespace jail
