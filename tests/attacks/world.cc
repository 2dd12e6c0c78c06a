#include "tests/attacks/world.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/paths.h"
#include "sys/cgroup.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace attacks {

namespace {

using base::Result;
using Body = std::function<int(const std::string&)>;

constexpr std::uint64_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;

Result<> mount_on(const std::string& type, const std::string& path) {
  ASSIGN_OR_RETURN(const auto mount, sys::make_mount(type, {}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  ASSIGN_OR_RETURN(const auto here, sys::open(path, O_PATH | O_DIRECTORY));
  return sys::attach_mount(mount.get(), here.get(), ".");
}

Result<> furnish() {
  RETURN_IF_ERROR(sys::set_death_signal(SIGKILL));
  RETURN_IF_ERROR(sys::make_private_recursive());
  RETURN_IF_ERROR(mount_on("proc", "/proc"));
  return mount_on("tmpfs", "/run");
}

int exit_code_of(const sys::ExitStatus& status) {
  return status.signal == 0 ? status.code : 128 + status.signal;
}

// Pid 1 only reaps, so that what the tests orphan does not pile up; the tests run below it.
int reap_until_end_of(const sys::Clone& tests) {
  while (true) {
    int status = 0;
    const pid_t ended = ::wait(&status);
    if (ended == tests.pid) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended < 0) return 1;
  }
}

int complain(const base::Error& error) {
  std::fprintf(stderr, "scratch world: %s\n", error.message.c_str());
  return 1;
}

int first_process(const Body& body, const std::string& scratch) {
  if (const auto done = furnish(); !done) return complain(done.error());
  const auto tests = sys::clone_process({});
  if (!tests) return 1;
  return tests->is_child() ? body(scratch) : reap_until_end_of(*tests);
}

// Waits for the world's end; a signal that would end us ends it first.
Result<sys::ExitStatus> outlive(const sys::Clone& world) {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ends, signal);
  if (::sigprocmask(SIG_BLOCK, &ends, nullptr) != 0) return base::failed_call("sigprocmask");
  const sys::UniqueFd signals(::signalfd(-1, &ends, SFD_CLOEXEC));
  pollfd waiting[] = {{world.pidfd.get(), POLLIN, 0}, {signals.get(), POLLIN, 0}};
  if (::poll(waiting, 2, -1) < 0) return base::failed_call("poll");
  if (waiting[1].revents != 0) RETURN_IF_ERROR(sys::pidfd_kill(world.pidfd.get(), SIGKILL));
  return sys::wait_pidfd(world.pidfd.get());
}

// Control groups are the one thing that namespaces do not take along. Spawners remove their own; this is for
// those that were killed.
Result<> remove_groups(const std::string& state) {
  ASSIGN_OR_RETURN(const auto mounts, sys::find_cgroup_mounts());
  ASSIGN_OR_RETURN(const auto tree, sys::open_cgroup_tree(base::Paths::of(state).cgroup, mounts));
  ASSIGN_OR_RETURN(const auto names, tree->list());
  for (const std::string& name : names) {
    RETURN_IF_ERROR(tree->wait_empty(name, std::chrono::seconds(10)));
    RETURN_IF_ERROR(tree->remove(name));
  }
  return tree->remove_parent();
}

Result<> clean_up(const std::string& scratch) {
  for (const char* state : {kProductState, kControlState}) RETURN_IF_ERROR(remove_groups(scratch + state));
  // The world's mounts below it are not here: this process stayed outside.
  std::error_code error;
  std::filesystem::remove_all(scratch, error);
  if (error) return base::fail(base::Code::kInternal, "remove " + scratch + ": " + error.message());
  return {};
}

}  // namespace

int run_in_scratch_world(const Body& body) {
  std::string scratch = "/var/tmp/cove-attacks.XXXXXX";
  // Readable for all: attackers are to be stopped by the sandbox, not by the mode of this directory.
  if (::mkdtemp(scratch.data()) == nullptr || ::chmod(scratch.c_str(), 0755) != 0) return 1;
  const auto world = sys::clone_process({.flags = kNamespaces});
  if (!world) return complain(world.error());
  if (world->is_child()) ::_exit(first_process(body, scratch));
  const auto status = outlive(*world);
  const auto cleaned = clean_up(scratch);
  if (!cleaned) return complain(cleaned.error());
  return status ? exit_code_of(*status) : complain(status.error());
}

}  // namespace attacks
