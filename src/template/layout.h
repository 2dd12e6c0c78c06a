#pragma once

#include "template/tree.h"

// What every template's root has, so that a sandbox can mount its own things over it: real directories and
// files, never symbolic links, in hands that only root can move.
namespace templates {

// Makes the directories and fixed files, and empties what a sandbox mounts over.
Result<> make_layout(const Tree& tree, Owner user);
// Finds them as make_layout() leaves them, or says what is wrong. For trees that others made.
Result<> check_layout(const Tree& tree);

}  // namespace templates
