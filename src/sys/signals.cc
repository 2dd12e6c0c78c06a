#include "sys/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace sys {

Result<UniqueFd> watch_signals(std::initializer_list<int> signals) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signal : signals) sigaddset(&mask, signal);
  if (::sigprocmask(SIG_BLOCK, &mask, nullptr) != 0) return base::failed_call("sigprocmask");
  UniqueFd fd(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return base::failed_call("signalfd");
  return fd;
}

int next_signal(int fd) {
  signalfd_siginfo info{};
  return ::read(fd, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace sys
