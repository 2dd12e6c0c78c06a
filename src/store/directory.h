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

// As root, before a server starts: makes state directory and the server's directory (0700) when they are
// missing, and gives the latter, with what of a database is in it, to the server's user. The state directory
// lets others through (0711): what else is in it has modes of its own.
base::Result<> prepare_directory(const std::string& state, Owner owner);

// As root, for a command of the operator: makes the directory when it is missing, and then becomes its owner
// for good. A server that was taken over could place links there; whoever follows them then has no more
// rights than that server.
base::Result<> become_owner_of_directory(const std::string& state);

}  // namespace store
