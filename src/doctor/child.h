// Children in which attempts are made. They use fork, not clone3: a host that refuses clone3 is to be
// reported, not to silence every other check.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

#include "base/error.h"
#include "sys/user_namespace.h"

namespace doctor {

using Work = std::function<base::Result<std::string>()>;
using Meanwhile = std::function<base::Result<>(pid_t child)>;

// Runs the work in a child with a process group of its own; what is left of the group when the work is done
// or the deadline has passed is killed. A deadline that passes is an error with code kTimeout.
base::Result<std::string> run_bounded(const Work& work, std::chrono::milliseconds deadline);

// Runs the work in a child of an attempt, which stays in the attempt's process group and so under its
// deadline. `meanwhile` runs in the parent; when it fails the child is killed and that failure returned.
// `namespaces` are CLONE_NEW* flags of namespaces that the child is born into.
base::Result<std::string> run_beside(const Work& work, const Meanwhile& meanwhile, int namespaces = 0);
base::Result<std::string> run_nested(const Work& work);

// A bare fork for attempts that end their child themselves; 0 in the child.
base::Result<pid_t> fork_process(int namespaces = 0);

struct NewNamespaces {
  int more = 0;  // CLONE_NEW* beside the user namespace
  sys::IdMap map{.inside = 0, .outside = 1U << 20, .count = 65536};
};
// Runs the work as root of a new user namespace whose ids the parent maps, as it does for a sandbox.
base::Result<std::string> run_in_user_namespace(const NewNamespaces& namespaces, const Work& work);

}  // namespace doctor
