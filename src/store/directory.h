#pragma once

#include <sys/types.h>

#include <string>

#include "base/error.h"

namespace store {

struct Owner {
  uid_t uid = 0;
  gid_t gid = 0;
};

// Where an instance's database is: <state>/server/cove.db.
std::string directory_of(const std::string& state);
std::string database_of(const std::string& state);

// As root: makes the directory (0700) when it is missing and gives it, and what of a database is in it, to
// `owner`. For the supervisor, before it starts the server.
base::Result<> prepare_directory(const std::string& state, Owner owner);

// As root, for a command of the operator: makes the directory when it is missing, as the user `cove` when
// there is one, and then becomes the directory's owner for good. A server that was taken over could place
// links there; whoever writes through them then has no more rights than that server.
base::Result<> become_owner_of_directory(const std::string& state);

}  // namespace store
