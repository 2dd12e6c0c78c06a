#include "sys/process.h"

#include <grp.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sys/c_strings.h"
#include "sys/retry.h"

namespace sys {

using base::failed_call;

namespace {
std::uint64_t microseconds(const timeval& tv) {
  return static_cast<std::uint64_t>(tv.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(tv.tv_usec);
}

ExitStatus status_of(int wait_status, const rusage& usage) {
  ExitStatus status;
  if (WIFSIGNALED(wait_status)) status.signal = WTERMSIG(wait_status);
  if (WIFEXITED(wait_status)) status.code = WEXITSTATUS(wait_status);
  status.user_us = microseconds(usage.ru_utime);
  status.system_us = microseconds(usage.ru_stime);
  return status;
}

Result<> prctl_or_fail(int option, unsigned long value, const char* name) {
  if (::prctl(option, value, 0, 0, 0) != 0) return failed_call(std::string("prctl(") + name + ")");
  return {};
}

}  // namespace

Result<Clone> clone_process(const CloneOptions& options) {
  int pidfd = -1;
  clone_args args{};
  args.flags = options.flags | CLONE_PIDFD;
  args.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  // With CLONE_PARENT the kernel takes the exit signal of the caller's own birth.
  args.exit_signal = (options.flags & CLONE_PARENT) != 0 ? 0 : SIGCHLD;
  if (options.cgroup >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(options.cgroup);
  }
  const long pid = ::syscall(SYS_clone3, &args, sizeof args);
  if (pid < 0) return failed_call("clone3");
  if (pid == 0) return Clone{};
  return Clone{.pid = static_cast<pid_t>(pid), .pidfd = UniqueFd(pidfd)};
}

Result<UniqueFd> pidfd_open(pid_t pid) {
  UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!fd) return failed_call("pidfd_open(" + std::to_string(pid) + ")");
  return fd;
}

Result<> pidfd_kill(int pidfd, int signal) {
  if (::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) != 0)
    return failed_call("pidfd_send_signal");
  return {};
}

Result<> kill(pid_t pid, int signal) {
  if (::kill(pid, signal) != 0) return failed_call("kill(" + std::to_string(pid) + ")");
  return {};
}

bool has_ended(int pidfd) {
  pollfd end{.fd = pidfd, .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, 0) == 1;
}

bool is_ending(pid_t pid, int pidfd) {
  constexpr unsigned long kExiting = 0x4;  // PF_EXITING in the flags, the seventh field behind the name
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  std::size_t at = stat ? stat->rfind(')') : std::string::npos;
  for (int i = 0; i < 7 && at != std::string::npos; ++i) at = stat->find(' ', at + 1);
  const unsigned long flags = at != std::string::npos ? std::strtoul(stat->c_str() + at, nullptr, 10) : 0;
  // Only now: as long as it has not ended, the number is its own.
  return has_ended(pidfd) || (flags & kExiting) != 0;
}

bool is_own_child(int pidfd) {
  siginfo_t info{};
  return ::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool is_stopped(int pidfd) {
  siginfo_t info{};
  const long done =
      ::syscall(SYS_waitid, P_PIDFD, static_cast<id_t>(pidfd), &info, WSTOPPED | WNOHANG, nullptr);
  return done == 0 && info.si_pid != 0;
}

Result<ExitStatus> wait_pidfd(int pidfd) {
  siginfo_t info{};
  rusage usage{};
  // The raw call, because glibc's waitid drops the resource usage.
  const long done =
      retry([&] { return ::syscall(SYS_waitid, P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED, &usage); });
  if (done != 0) return failed_call("waitid(pidfd)");
  ExitStatus status;
  if (info.si_code == CLD_EXITED) status.code = info.si_status;
  if (info.si_code != CLD_EXITED) status.signal = info.si_status;
  status.user_us = microseconds(usage.ru_utime);
  status.system_us = microseconds(usage.ru_stime);
  return status;
}

Result<std::optional<Reaped>> wait_any() {
  int wait_status = 0;
  rusage usage{};
  const pid_t pid = retry([&] { return ::wait4(-1, &wait_status, WNOHANG | __WALL, &usage); });
  if (pid == 0 || (pid < 0 && errno == ECHILD)) return std::optional<Reaped>();
  if (pid < 0) return failed_call("wait4");
  return std::optional(Reaped{.pid = pid, .status = status_of(wait_status, usage)});
}

namespace {
[[noreturn]] void daemon_main(const std::vector<std::string>& argv, int log, int alive) {
  constexpr int kAlive = 3;
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || ::setsid() < 0 || ::dup2(null, 0) < 0 || ::dup2(log, 1) < 0 || ::dup2(log, 2) < 0)
    ::_exit(126);
  // Held open for as long as the program lives; nobody writes to it.
  if ((alive != kAlive && ::dup2(alive, kAlive) < 0) || ::fcntl(kAlive, F_SETFD, 0) != 0) ::_exit(126);
  if (!close_from(kAlive + 1) || ::chdir("/") != 0) ::_exit(126);
  auto args = c_strings(argv);
  ::execv(args[0], args.data());
  ::_exit(127);
}
}  // namespace

Result<UniqueFd> start_daemon(const std::vector<std::string>& argv, int log) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return failed_call("pipe2");
  UniqueFd watch(pipe[0]);
  const UniqueFd alive(pipe[1]);
  ASSIGN_OR_RETURN(const auto first, clone_process({}));
  if (!first.is_child()) {
    RETURN_IF_ERROR(wait_pidfd(first.pidfd.get()));
    return watch;
  }
  // A second fork, so that the daemon belongs to the machine's init and not to the command that started it.
  const auto second = clone_process({});
  if (!second || !second->is_child()) ::_exit(second ? 0 : 126);
  daemon_main(argv, log, alive.get());
}

Result<> execveat(int program, char* const argv[], char* const envp[]) {
  ::syscall(SYS_execveat, program, "", argv, envp, AT_EMPTY_PATH);
  return failed_call("execveat");
}

Result<> set_no_new_privs() { return prctl_or_fail(PR_SET_NO_NEW_PRIVS, 1, "PR_SET_NO_NEW_PRIVS"); }
Result<> set_dumpable() { return prctl_or_fail(PR_SET_DUMPABLE, 1, "PR_SET_DUMPABLE, 1"); }
Result<> set_non_dumpable() { return prctl_or_fail(PR_SET_DUMPABLE, 0, "PR_SET_DUMPABLE, 0"); }
Result<> set_death_signal(int signal) {
  return prctl_or_fail(PR_SET_PDEATHSIG, static_cast<unsigned long>(signal), "PR_SET_PDEATHSIG");
}

Result<> new_session() {
  if (::setsid() < 0) return failed_call("setsid");
  return {};
}

Result<> close_from(int first) {
  if (::syscall(SYS_close_range, first, ~0U, 0) != 0) return failed_call("close_range");
  return {};
}

Result<> close_on_exec_from(int first) {
  if (::syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    return failed_call("close_range(cloexec)");
  return {};
}

Result<> place_fd(int fd, int to) {
  if (::dup2(fd, to) < 0) return failed_call("dup2(" + std::to_string(to) + ")");
  return {};
}

Result<UniqueFd> lift_fd(int fd, int lowest) {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, lowest));
  if (!copy) return failed_call("fcntl(F_DUPFD_CLOEXEC)");
  return copy;
}

Result<> lower_rlimit(int resource, std::uint64_t soft, std::uint64_t hard) {
  const auto which = static_cast<__rlimit_resource>(resource);
  rlimit now{};
  if (::getrlimit(which, &now) != 0) return failed_call("getrlimit(" + std::to_string(resource) + ")");
  const std::uint64_t new_hard = std::min<std::uint64_t>(hard, now.rlim_max);
  const rlimit limit{.rlim_cur = std::min(soft, new_hard), .rlim_max = new_hard};
  if (::setrlimit(which, &limit) != 0) return failed_call("setrlimit(" + std::to_string(resource) + ")");
  return {};
}

Result<> keep_capabilities() { return prctl_or_fail(PR_SET_KEEPCAPS, 1, "PR_SET_KEEPCAPS"); }

Result<> set_ids(uid_t uid, gid_t gid) {
  // Raw calls: glibc's wrappers signal other threads, and these processes have none.
  if (::syscall(SYS_setgroups, 0, nullptr) != 0) return failed_call("setgroups(none)");
  if (::syscall(SYS_setresgid, gid, gid, gid) != 0)
    return failed_call("setresgid(" + std::to_string(gid) + ")");
  if (::syscall(SYS_setresuid, uid, uid, uid) != 0)
    return failed_call("setresuid(" + std::to_string(uid) + ")");
  return {};
}

Result<> reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    // 32 and 33 belong to glibc, which refuses them; they are at their defaults already.
    if (signal == 32 || signal == 33) continue;
    if (::signal(signal, SIG_DFL) == SIG_ERR) return failed_call("signal(" + std::to_string(signal) + ")");
  }
  sigset_t none;
  sigemptyset(&none);
  if (::sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return failed_call("sigprocmask");
  return {};
}

Result<> unshare(int flags) {
  if (::unshare(flags) != 0) return failed_call("unshare(" + std::to_string(flags) + ")");
  return {};
}

Result<> setns(int fd, int type) {
  if (::setns(fd, type) != 0) return failed_call("setns(" + std::to_string(type) + ")");
  return {};
}

Result<> fchdir(int dir) {
  if (::fchdir(dir) != 0) return failed_call("fchdir");
  return {};
}

Result<> chdir(const std::string& path) {
  if (::chdir(path.c_str()) != 0) return failed_call("chdir(" + path + ")");
  return {};
}

Result<> set_hostname(const std::string& name) {
  if (::sethostname(name.c_str(), name.size()) != 0) return failed_call("sethostname(" + name + ")");
  return {};
}

Result<> set_domainname(const std::string& name) {
  if (::setdomainname(name.c_str(), name.size()) != 0) return failed_call("setdomainname(" + name + ")");
  return {};
}

Result<> set_loopback_up() {
  const UniqueFd control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!control) return failed_call("socket(AF_INET)");
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(control.get(), SIOCSIFFLAGS, &request) != 0) return failed_call("ioctl(SIOCSIFFLAGS, lo up)");
  return {};
}

}  // namespace sys
