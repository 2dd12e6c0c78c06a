#include "sys/start_program.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/c_strings.h"
#include "sys/caps.h"
#include "sys/socket.h"

namespace sys {

namespace {

// Each under its number; first all out of the way, so that none is overwritten before it is copied.
Result<> place_all(const std::vector<int>& fds) {
  constexpr int kFirst = 3;
  const int end = kFirst + static_cast<int>(fds.size());
  std::vector<UniqueFd> lifted;
  for (const int fd : fds) {
    ASSIGN_OR_RETURN(auto copy, lift_fd(fd, end));
    lifted.push_back(std::move(copy));
  }
  int number = kFirst;
  for (const UniqueFd& fd : lifted) RETURN_IF_ERROR(place_fd(fd.get(), number++));
  return {};
}

Result<> place_standard(int output) {
  ASSIGN_OR_RETURN(const auto null, open("/dev/null", O_RDONLY));
  RETURN_IF_ERROR(place_fd(null.get(), 0));
  if (output != 1) RETURN_IF_ERROR(place_fd(output, 1));
  if (output != 2) RETURN_IF_ERROR(place_fd(output, 2));
  return {};
}

// Many clients are many descriptors.
Result<> widen_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return base::failed_call("getrlimit");
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return base::failed_call("setrlimit");
  return {};
}

Result<> become(const SystemUser& user) {
  RETURN_IF_ERROR(widen_descriptors());
  RETURN_IF_ERROR(limit_bounding_set(0));
  RETURN_IF_ERROR(set_ids(user.uid, user.gid));
  RETURN_IF_ERROR(set_capabilities(0, 0, 0));
  return set_no_new_privs();
}

Result<> prepare_and_execute(const ProgramStart& start) {
  RETURN_IF_ERROR(new_session());
  RETURN_IF_ERROR(reset_signals());
  RETURN_IF_ERROR(chdir("/"));
  ::umask(077);
  if (start.user) RETURN_IF_ERROR(become(*start.user));
  auto args = c_strings(start.argv);
  ::execve(args[0], args.data(), c_strings(start.environment).data());
  return base::failed_call("execve(" + start.argv[0] + ")");
}

[[noreturn]] void program_main(const ProgramStart& start, int problem) {
  // Beyond all that are placed, and gone when the program runs.
  const auto told = lift_fd(problem, 3 + static_cast<int>(start.fds.size()));
  if (!told) ::_exit(126);
  // The output first: its number may be one of those that are taken next.
  auto done = place_standard(start.output);
  if (done) done = place_all(start.fds);
  if (done) done = close_on_exec_from(3 + static_cast<int>(start.fds.size()));
  if (done) done = prepare_and_execute(start);
  if (!done) (void)write_all(told->get(), done.error().message);
  ::_exit(127);
}

}  // namespace

Result<Started> start_program(const ProgramStart& start) {
  ASSIGN_OR_RETURN(auto pipe, make_pipe());
  ASSIGN_OR_RETURN(auto child, clone_process({}));
  if (child.is_child()) program_main(start, pipe.write.get());
  pipe.write.reset();
  ASSIGN_OR_RETURN(const auto problem, read_all(pipe.read.get()));
  if (problem.empty()) return Started{.pid = child.pid, .pidfd = std::move(child.pidfd)};
  (void)wait_pidfd(child.pidfd.get());
  return base::fail(base::Code::kUnavailable, problem);
}

}  // namespace sys
