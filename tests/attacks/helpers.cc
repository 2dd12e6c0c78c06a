#include "tests/attacks/helpers.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "tests/attacks/lab.h"

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

Report run_outside(uid_t user, const std::string& program, const std::vector<std::string>& arguments) {
  // Beside the states of the spawners, where everybody may go; the build's directory may be private.
  const std::string copy = Lab::current().scratch() + "/" + program;
  std::error_code ignored;
  std::filesystem::copy_file(built_program(program), copy, std::filesystem::copy_options::overwrite_existing,
                             ignored);
  std::string command = "setpriv --reuid=" + std::to_string(user) + " --regid=" + std::to_string(user) +
                        " --clear-groups '" + copy + "'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  Report report;
  std::FILE* const output = ::popen(command.c_str(), "re");
  EXPECT_NE(output, nullptr);
  if (output == nullptr) return report;
  char line[1024];
  while (std::fgets(line, sizeof line, output) != nullptr) {
    line[std::strcspn(line, "\n")] = '\0';
    parse_line(line, report);
  }
  const int status = ::pclose(output);
  report.outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return report;
}

pid_t init_of(const SpawnerProcess& spawner, const std::string& sandbox) {
  const auto text = sys::read_file(spawner.paths().sandboxes + "/" + sandbox + ".record");
  EXPECT_TRUE(text) << sandbox;
  const std::size_t at = text.value_or("").find("pid=");
  return at == std::string::npos ? -1 : std::atoi(text->c_str() + at + 4);
}

std::uint64_t cpu_used(pid_t pid) {
  const auto text = sys::read_file("/proc/" + std::to_string(pid) + "/stat").value_or("");
  // The second field is a name in parentheses; user and system time are the 14th and 15th.
  std::istringstream fields(text.substr(std::min(text.rfind(')'), text.size())));
  std::string skipped;
  for (int field = 2; field < 14; ++field) fields >> skipped;
  std::uint64_t user = 0, system = 0;
  fields >> user >> system;
  return (user + system) * 1'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
}

std::string namespace_of(pid_t pid, const std::string& kind) {
  const auto status =
      sys::fstatat(AT_FDCWD, "/proc/" + std::to_string(pid) + "/ns/" + kind, 0 /* follow the link */);
  EXPECT_TRUE(status);
  return status ? std::to_string(status->st_ino) : "";
}

}  // namespace attacks
