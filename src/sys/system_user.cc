#include "sys/system_user.h"

#include <grp.h>
#include <pwd.h>

#include <array>

#include "sys/run_program.h"

namespace sys {

Result<SystemUser> find_user(const std::string& name) {
  std::array<char, 16384> buffer;
  passwd entry{};
  passwd* found = nullptr;
  const int error = ::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (error != 0) return base::failed_call("getpwnam(" + name + ")", error);
  if (found == nullptr) return base::fail(base::Code::kNotFound, "there is no user " + name);
  return SystemUser{.name = name, .uid = entry.pw_uid, .gid = entry.pw_gid};
}

Result<SystemUser> find_or_make_user(const std::string& name) {
  auto user = find_user(name);
  if (user || user.error().code != base::Code::kNotFound) return user;
  // A group that is left from an earlier user of this name is taken over: useradd alone would refuse.
  const bool has_group = ::getgrnam(name.c_str()) != nullptr;
  std::vector<std::string> command = {"/usr/sbin/useradd", "--system", "--no-create-home", "--home-dir",
                                      "/nonexistent",      "--shell",  "/usr/sbin/nologin"};
  if (has_group) {
    command.insert(command.end(), {"--gid", name});
  } else {
    command.emplace_back("--user-group");
  }
  command.push_back(name);
  auto made = run_program(command);
  // Another may have been quicker.
  user = find_user(name);
  if (user || made) return user;
  return std::unexpected(base::with_context("user " + name + " cannot be made", std::move(made).error()));
}

}  // namespace sys
