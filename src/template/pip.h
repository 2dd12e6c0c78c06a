#pragma once

#include "template/locked_files.h"
#include "template/pip_lock.h"

// Python packages of a lock: fetched outside by the host's pip, as that is configured, for the Python of the
// tree; installed inside by the tree's own pip, without network.
namespace templates {

// "3.13": the version of /usr/bin/python3 in a tree.
Result<std::string> python_version(const Tree& tree);

std::vector<LockedFile> files_of(const std::vector<LockedPackage>& packages);

// With the host's pip: built packages only, so that no code of theirs runs out here.
Fetch pip_fetch(const std::vector<LockedPackage>& packages, const std::string& python,
                const Workplace& place);

// Where files for the install command lie in the tree, and what to remove from it afterwards.
constexpr std::string_view kPipDirectory = "var/cache/cove/pip";

// What pip needs besides the files themselves.
Result<> write_pip_inputs(const Tree& tree, const std::vector<LockedPackage>& packages);
// For a shell in the tree, as root.
std::string pip_install_command();

}  // namespace templates
