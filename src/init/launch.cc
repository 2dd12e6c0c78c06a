#include "init/launch.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "sys/c_strings.h"
#include "sys/retry.h"
#include "sys/seccomp.h"

namespace init {

namespace {

constexpr std::uint32_t kUserId = 1000;
constexpr int kErrorFd = 3;
constexpr int kRuntimeFd = 4;

// What the child tells when it cannot become the program.
struct Misfortune {
  base::Code code = base::Code::kInternal;
  int sys_errno = 0;
  char message[240] = {};
};

struct Ends {
  sys::UniqueFd input;
  sys::UniqueFd output;
  sys::UniqueFd error;
  sys::UniqueFd misfortune;
  sys::UniqueFd runtime;  // only a runtime has one
};

// `tell` is where misfortune is told, which moves here.
Result<> place_descriptors(const Ends& ends, int& tell) {
  // Lifted first, so that no end sits on a number that is given away.
  constexpr int kAway = 32;
  ASSIGN_OR_RETURN(const auto input, sys::lift_fd(ends.input.get(), kAway));
  ASSIGN_OR_RETURN(const auto output, sys::lift_fd(ends.output.get(), kAway));
  ASSIGN_OR_RETURN(const auto error, sys::lift_fd(ends.error.get(), kAway));
  ASSIGN_OR_RETURN(const auto misfortune, sys::lift_fd(ends.misfortune.get(), kAway));
  RETURN_IF_ERROR(sys::place_fd(input.get(), 0));
  RETURN_IF_ERROR(sys::place_fd(output.get(), 1));
  RETURN_IF_ERROR(sys::place_fd(error.get(), 2));
  RETURN_IF_ERROR(sys::place_fd(misfortune.get(), kErrorFd));
  tell = kErrorFd;
  if (!ends.runtime) {
    RETURN_IF_ERROR(sys::close_from(kErrorFd + 1));
    return sys::close_on_exec_from(kErrorFd);
  }
  ASSIGN_OR_RETURN(const auto runtime, sys::lift_fd(ends.runtime.get(), kAway));
  RETURN_IF_ERROR(sys::close_on_exec_from(kErrorFd));
  return sys::place_fd(runtime.get(), kRuntimeFd);
}

// The kernel's killer takes a sandbox's processes before init and before anything of the host.
Result<> volunteer_for_oom() {
  // Dumpable for this write only, under init's own id; the change of ids that follows undoes it.
  RETURN_IF_ERROR(sys::set_dumpable());
  return sys::write_existing("/proc/self/oom_score_adj", "500");
}

Result<> become_program(const wire::init::Start& start, const LaunchPolicy& policy) {
  RETURN_IF_ERROR(sys::reset_signals());
  RETURN_IF_ERROR(sys::new_session());
  RETURN_IF_ERROR(volunteer_for_oom());
  RETURN_IF_ERROR(become(start.user, policy));
  ::umask(022);
  RETURN_IF_ERROR(sys::chdir(start.cwd));
  auto argv = sys::c_strings(start.argv);
  auto envp = sys::c_strings(start.environment);
  environ = envp.data();  // execvp looks for PATH here
  ::execvp(argv[0], argv.data());
  return base::failed_call("exec(" + start.argv[0] + ")");
}

[[noreturn]] void child_main(const wire::init::Start& start, const LaunchPolicy& policy, const Ends& ends) {
  int tell = ends.misfortune.get();
  auto done = place_descriptors(ends, tell);
  if (done) done = become_program(start, policy);
  Misfortune misfortune{.code = done.error().code, .sys_errno = done.error().sys_errno};
  std::strncpy(misfortune.message, done.error().message.c_str(), sizeof misfortune.message - 1);
  (void)!sys::retry([&] { return ::write(tell, &misfortune, sizeof misfortune); });
  ::_exit(127);
}

// Bounded: a process of the same user may stop the newcomer before its exec, and must not stop init with it.
Result<> await_exec(int pipe) {
  constexpr int kLimitMs = 10'000;
  pollfd waiting{.fd = pipe, .events = POLLIN, .revents = 0};
  const int ready = sys::retry([&] { return ::poll(&waiting, 1, kLimitMs); });
  if (ready < 0) return base::failed_call("poll(exec)");
  if (ready == 0) {
    return base::fail(base::Code::kTimeout, "the new process did not get to its exec within 10 s");
  }
  Misfortune misfortune;
  const ssize_t n = sys::retry([&] { return ::read(pipe, &misfortune, sizeof misfortune); });
  if (n < 0) return base::failed_call("read(exec)");
  if (n == 0) return {};  // closed by the exec
  if (n != sizeof misfortune)
    return base::fail(base::Code::kInternal, "the new process ended before its exec");
  misfortune.message[sizeof misfortune.message - 1] = '\0';
  return std::unexpected(base::Error{misfortune.code, misfortune.message, misfortune.sys_errno});
}

}  // namespace

Result<> become(wire::init::User user, const LaunchPolicy& policy) {
  const bool is_root = user == wire::init::User::kRoot;
  const sys::CapMask keep = is_root ? policy.root_capabilities : policy.user_capabilities;
  if (is_root && keep == 0) {
    return base::fail(base::Code::kDenied, "this sandbox has no root; create it in root mode");
  }
  const std::uint32_t id = is_root ? 0 : kUserId;
  RETURN_IF_ERROR(sys::set_ids(id, id));
  // Until the exec this is still init's memory; what fs.suid_dumpable makes of a change of ids is the host's
  // affair.
  RETURN_IF_ERROR(sys::set_non_dumpable());
  RETURN_IF_ERROR(sys::set_capabilities(keep, keep, keep));
  RETURN_IF_ERROR(sys::set_ambient(keep));
  return sys::install_seccomp_filter(policy.filter);
}

namespace {

Result<Launched> launch_with(Ends ends, const wire::init::Start& start, const LaunchPolicy& policy,
                             const Leaf& leaf) {
  Launched launched;
  if (start.input == wire::init::Stdin::kStream) {
    ASSIGN_OR_RETURN(auto pipe, sys::make_pipe());
    launched.input = std::move(pipe.write);
    ends.input = std::move(pipe.read);
  } else {
    ASSIGN_OR_RETURN(ends.input, sys::open("/dev/null", O_RDONLY));
  }
  ASSIGN_OR_RETURN(auto output, sys::make_pipe());
  ASSIGN_OR_RETURN(auto error, sys::make_pipe());
  ASSIGN_OR_RETURN(auto misfortune, sys::make_pipe());
  launched.output = std::move(output.read);
  launched.error = std::move(error.read);
  ends.output = std::move(output.write);
  ends.error = std::move(error.write);
  ends.misfortune = std::move(misfortune.write);
  // While nothing runs yet that a failure would leave behind.
  for (const int fd : {launched.input.get(), launched.output.get(), launched.error.get()}) {
    if (fd >= 0) RETURN_IF_ERROR(sys::set_nonblocking(fd));
  }
  ASSIGN_OR_RETURN(launched.process, sys::clone_process({.cgroup = leaf.directory()}));
  if (launched.process.is_child()) child_main(start, policy, ends);
  ends = {};
  if (auto ready = await_exec(misfortune.read.get()); !ready) {
    (void)sys::pidfd_kill(launched.process.pidfd.get(), SIGKILL);
    (void)sys::wait_pidfd(launched.process.pidfd.get());
    return std::unexpected(std::move(ready).error());
  }
  return launched;
}

}  // namespace

Result<Launched> launch(const wire::init::Start& start, const LaunchPolicy& policy, const Leaf& leaf) {
  return launch_with({}, start, policy, leaf);
}

Result<Launched> launch_runtime(const wire::init::StartContext& start, const LaunchPolicy& policy,
                                const Leaf& leaf) {
  ASSIGN_OR_RETURN(auto channel, sys::make_socket_pair(SOCK_STREAM));
  RETURN_IF_ERROR(sys::set_nonblocking(channel.ours.get()));
  wire::init::Start process{
      .argv = start.argv, .environment = start.environment, .cwd = start.cwd, .user = start.user};
  process.environment.push_back("COVE_CHANNEL=" + std::to_string(kRuntimeFd));
  Ends ends;
  ends.runtime = std::move(channel.theirs);
  ASSIGN_OR_RETURN(auto launched, launch_with(std::move(ends), process, policy, leaf));
  launched.runtime = std::move(channel.ours);
  return launched;
}

}  // namespace init
