#include "cli/terminal.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "sys/retry.h"
#include "sys/signals.h"

namespace cli {

base::Result<Terminal> Terminal::open() {
  ASSIGN_OR_RETURN(auto signals, sys::watch_signals({SIGINT, SIGTERM, SIGHUP}));
  return Terminal(std::move(signals));
}

namespace {
// Our output may be somebody's non-blocking pipe: one that is full is waited for, like any other.
base::Result<> write_patiently(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = sys::retry([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd room{.fd = fd, .events = POLLOUT, .revents = 0};
      (void)::poll(&room, 1, -1);
    } else {
      return base::failed_call(fd == 1 ? "write(stdout)" : "write(stderr)");
    }
  }
  return {};
}
}  // namespace

base::Result<> Terminal::output(wire::init::Channel channel, std::string_view bytes) {
  if (channel == wire::init::Channel::kStderr) return write_patiently(2, bytes);
  if (!bytes.empty()) at_line_start_ = bytes.ends_with('\n');
  return write_patiently(1, bytes);
}

base::Result<> Terminal::line(std::string_view text) {
  return write_patiently(1, (at_line_start_ ? "" : "\n") + std::string(text) + "\n");
}

int Terminal::take_interrupt() {
  const int signal = sys::next_signal(signals_.get());
  if (signal == 0) return 0;
  return ++interrupts_ == 1 ? signal : SIGKILL;
}

}  // namespace cli
