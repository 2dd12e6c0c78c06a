#include "tests/attacks/helpers.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace attacks {

Bystander::Bystander(uid_t user, const std::string& command_line) {
  auto process = sys::clone_process({});
  EXPECT_TRUE(process);
  if (process && process->is_child()) {
    if (!sys::set_death_signal(SIGKILL) || !sys::set_ids(user, user)) ::_exit(1);
    ::execl("/bin/sleep", command_line.c_str(), "600", static_cast<char*>(nullptr));
    ::_exit(1);
  }
  if (process) process_ = *std::move(process);
}

Bystander::~Bystander() {
  (void)sys::pidfd_kill(process_.pidfd.get(), SIGKILL);
  (void)sys::wait_pidfd(process_.pidfd.get());
}

bool Bystander::alive() const {
  pollfd end{.fd = process_.pidfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, 0) == 0;
}

sys::UniqueFd listen_abstract(const std::string& name) {
  sys::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(fd.get(), 64), 0);
  return fd;
}

std::string namespace_of(pid_t pid, const std::string& kind) {
  const auto status =
      sys::fstatat(AT_FDCWD, "/proc/" + std::to_string(pid) + "/ns/" + kind, 0 /* follow the link */);
  EXPECT_TRUE(status);
  return status ? std::to_string(status->st_ino) : "";
}

}  // namespace attacks
