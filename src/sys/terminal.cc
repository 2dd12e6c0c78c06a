#include "sys/terminal.h"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>

namespace sys {

namespace {

// Whoever opens /dev/ptmx owns the device that comes of it; nobody but CAP_CHOWN could give it away later.
class ActingAs {
 public:
  explicit ActingAs(uid_t user) : before_(::setfsuid(user)) {}
  ActingAs(const ActingAs&) = delete;
  ActingAs& operator=(const ActingAs&) = delete;
  ~ActingAs() { ::setfsuid(static_cast<uid_t>(before_)); }

 private:
  int before_;
};

Result<UniqueFd> open_master(uid_t owner) {
  const ActingAs acting(owner);
  // It tells no error, only who it is now.
  if (static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1))) != owner) {
    return base::fail(base::Code::kDenied, "setfsuid(" + std::to_string(owner) + ")");
  }
  return open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK);
}

}  // namespace

Result<Terminal> open_terminal(uid_t owner) {
  ASSIGN_OR_RETURN(auto ours, open_master(owner));
  int locked = 0;
  if (::ioctl(ours.get(), TIOCSPTLCK, &locked) != 0) return base::failed_call("ioctl(TIOCSPTLCK)");
  UniqueFd theirs(::ioctl(ours.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!theirs) return base::failed_call("ioctl(TIOCGPTPEER)");
  return Terminal{.ours = std::move(ours), .theirs = std::move(theirs)};
}

Result<> set_window(int terminal, std::uint16_t rows, std::uint16_t columns) {
  const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  if (::ioctl(terminal, TIOCSWINSZ, &size) != 0) return base::failed_call("ioctl(TIOCSWINSZ)");
  return {};
}

Result<> take_terminal(int terminal) {
  if (::ioctl(terminal, TIOCSCTTY, 0) != 0) return base::failed_call("ioctl(TIOCSCTTY)");
  return {};
}

}  // namespace sys
