#pragma once

#include "template/locked_files.h"
#include "template/npm_lock.h"

// npm packages of a lock: fetched outside by the host's npm, as that is configured; installed inside by the
// tree's own npm, without network and without running scripts of theirs, into /usr/local/lib/npm/NAME, their
// programs on everybody's path.
namespace templates {

std::vector<LockedFile> files_of(const NpmLock& lock);
Fetch npm_fetch(const NpmLock& lock, const Workplace& place);

constexpr std::string_view kNpmDirectory = "var/cache/cove/npm";

// What npm needs besides the files themselves, whose names are given.
Result<> write_npm_inputs(const Tree& tree, const NpmLock& lock, const std::vector<std::string>& names);
// For a shell in the tree, as root; `lock_file` gives the folder its name.
std::string npm_install_command(std::string_view lock_file);

}  // namespace templates
