#include "sys/run_program.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "sys/c_strings.h"
#include "sys/process.h"
#include "sys/socket.h"

namespace sys {

namespace {
constexpr std::size_t kMostOutput = 64 << 10;

[[noreturn]] void program_main(const std::vector<std::string>& argv, int keep, int output) {
  if (!set_death_signal(SIGKILL)) ::_exit(126);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || ::dup2(null, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) ::_exit(126);
  if (!close_all_but({keep}) || ::fcntl(keep, F_SETFD, 0) != 0 || !reset_signals()) ::_exit(126);
  const std::vector<std::string> environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"};
  auto args = c_strings(argv);
  ::execve(args[0], args.data(), c_strings(environment).data());
  ::_exit(127);
}
}  // namespace

Result<> close_all_but(std::vector<int> kept) {
  std::ranges::sort(kept);
  unsigned first = 3;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (number < first) continue;
    if (number > first && ::syscall(SYS_close_range, first, number - 1, 0) != 0) {
      return base::failed_call("close_range");
    }
    first = number + 1;
  }
  return close_from(static_cast<int>(first));
}

Result<> run_program(const std::vector<std::string>& argv, int keep) {
  ASSIGN_OR_RETURN(auto pipe, make_pipe());
  ASSIGN_OR_RETURN(const auto child, clone_process({}));
  if (child.is_child()) program_main(argv, keep, pipe.write.get());
  pipe.write.reset();
  const auto output = read_all(pipe.read.get(), kMostOutput);
  if (!output) (void)pidfd_kill(child.pidfd.get(), SIGKILL);
  ASSIGN_OR_RETURN(const auto status, wait_pidfd(child.pidfd.get()));
  if (!output) return std::unexpected(output.error());
  if (status.code == 0 && status.signal == 0) return {};
  const std::string how = status.signal != 0 ? "signal " + std::to_string(status.signal)
                                             : "exit code " + std::to_string(status.code);
  return base::fail(base::Code::kInternal, argv[0] + ": " + how + ": " + *output);
}

}  // namespace sys
