#pragma once

#include <sys/types.h>

#include <string>

#include "sys/file.h"

namespace sys {

struct SystemUser {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
};

// kNotFound when there is none of that name.
Result<SystemUser> find_user(const std::string& name);
// Finds it, or makes a system user without a home or a shell, in a group of its own.
Result<SystemUser> find_or_make_user(const std::string& name);

}  // namespace sys
