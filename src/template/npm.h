#pragma once

#include "template/locked_files.h"
#include "template/npm_lock.h"
#include "template/recipe.h"

// npm packages of a lock: fetched outside by the host's npm, as that is configured; installed inside by the
// tree's own npm, without network and without running scripts of theirs, into the directory that the recipe
// says, or into /usr/local/lib/npm/NAME with their programs on everybody's path.
namespace templates {

std::vector<LockedFile> files_of(const NpmLock& lock);
Fetch npm_fetch(const NpmLock& lock, const Workplace& place);

constexpr std::string_view kNpmDirectory = "var/cache/cove/npm";

// What npm needs besides the files themselves, whose names are given.
Result<> write_npm_inputs(const Tree& tree, const NpmLock& lock, const std::vector<std::string>& names);
// For a shell in the tree, as root.
std::string npm_install_command(const RecipeLock& lock);

}  // namespace templates
