#pragma once

#include <string>

#include "tests/attacks/lab.h"

namespace attacks {

// A small template of a test's own, with just what a sandbox is set up on, and as a build under the same
// digest: started so, the tree itself is the root, and whatever happens in there happens to the tree.
class OwnTemplate {
 public:
  OwnTemplate(SpawnerProcess& spawner, const std::string& name);

  const std::string& digest() const { return digest_; }
  // A new directory, file or device of the tree that the sandbox's user may change.
  void add_directory(const std::string& path) const;
  void add_file(const std::string& path, const std::string& text) const;
  void add_zero_device(const std::string& path) const;
  // Over everything that a digest covers; changes with any change of the tree.
  std::string fingerprint() const;

 private:
  std::string digest_;
  std::string root_;
};

// The template at this path (its directory, with root and meta) is what its digest says, and each of its
// files reads the same through the page cache and past it. Adds failures that name the file.
void expect_intact(const std::string& directory, const std::string& digest);

// What differs between the two ways to read the files of a tree: paths, or a reason why it cannot be said.
std::vector<std::string> differing_files(const std::string& root);

}  // namespace attacks
