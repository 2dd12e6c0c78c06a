#include "cli/terminal.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "sys/file.h"

namespace cli {

base::Result<Terminal> Terminal::open() {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&mask, signal);
  if (::sigprocmask(SIG_BLOCK, &mask, nullptr) != 0) return base::failed_call("sigprocmask");
  sys::UniqueFd signals(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return base::failed_call("signalfd");
  return Terminal(std::move(signals));
}

void Terminal::output(wire::init::Channel channel, std::string_view bytes) {
  const int fd = channel == wire::init::Channel::kStdout ? 1 : 2;
  // A closed pipe ends this program by SIGPIPE, and the sandbox ends with it.
  (void)sys::write_all(fd, bytes);
}

int Terminal::take_interrupt() {
  signalfd_siginfo info{};
  if (::read(signals_.get(), &info, sizeof info) != sizeof info) return 0;
  return ++interrupts_ == 1 ? static_cast<int>(info.ssi_signo) : SIGKILL;
}

}  // namespace cli
