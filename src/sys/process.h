#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sys/file.h"

namespace sys {

// How a process ended.
struct ExitStatus {
  int code = 0;               // meaningful when signal is 0
  int signal = 0;             // 0: it exited by itself
  std::uint64_t user_us = 0;  // CPU time of the process and the children it waited for
  std::uint64_t system_us = 0;
};

struct CloneOptions {
  std::uint64_t flags = 0;  // CLONE_NEW*, CLONE_PARENT
  int cgroup = -1;          // directory of the unified hierarchy to be born into; -1: the parent's
};

struct Clone {
  pid_t pid = 0;   // 0: this is the child
  UniqueFd pidfd;  // parent only
  bool is_child() const { return pid == 0; }
};

// fork with namespaces, a cgroup and a pidfd (clone3).
Result<Clone> clone_process(const CloneOptions& options);

Result<UniqueFd> pidfd_open(pid_t pid);
Result<> pidfd_kill(int pidfd, int signal);
Result<> kill(pid_t pid, int signal);
// Whether it has ended or is on its way out. The kernel closes a process's descriptors before its pidfd says
// that it has ended: a pid 1 in between waits for the last process of its namespace.
bool is_ending(pid_t pid, int pidfd);
// As its pidfd says.
bool has_ended(int pidfd);
// Whether it is a child of ours, ended or not.
bool is_own_child(int pidfd);
// Whether this child was stopped since it was asked last.
bool is_stopped(int pidfd);
// Waits for this child to end. `wait_any` reaps whatever has ended, without blocking.
Result<ExitStatus> wait_pidfd(int pidfd);
struct Reaped {
  pid_t pid = 0;
  ExitStatus status;
};
Result<std::optional<Reaped>> wait_any();

// Starts a program that lives on after us: own session, /dev/null as stdin, output to `log`. The descriptor
// hangs up when the program ends.
Result<UniqueFd> start_daemon(const std::vector<std::string>& argv, int log);

Result<> execveat(int program, char* const argv[], char* const envp[]);
Result<> set_no_new_privs();
Result<> set_dumpable();
Result<> set_non_dumpable();
Result<> set_death_signal(int signal);
Result<> new_session();
Result<> close_from(int first);
Result<> close_on_exec_from(int first);
// `fd` under the number `to`, open across exec.
Result<> place_fd(int fd, int to);
// A copy of `fd` at or above `lowest`, close-on-exec.
Result<UniqueFd> lift_fd(int fd, int lowest);
// Never raises a hard limit: a root without CAP_SYS_RESOURCE may not, and a sandbox must not need it.
Result<> lower_rlimit(int resource, std::uint64_t soft, std::uint64_t hard);
Result<> keep_capabilities();            // across the next change of uid
Result<> set_ids(uid_t uid, gid_t gid);  // real, effective, saved; no supplementary groups
Result<> reset_signals();                // default handlers, nothing blocked

Result<> unshare(int flags);
Result<> setns(int fd, int type);
Result<> fchdir(int dir);
Result<> chdir(const std::string& path);
Result<> set_hostname(const std::string& name);
Result<> set_domainname(const std::string& name);  // NIS
Result<> set_loopback_up();

}  // namespace sys
