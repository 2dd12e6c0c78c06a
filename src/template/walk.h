#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

#include "template/rules.h"

namespace templates {

// One entry of a tree, while it is visited.
struct TreeEntry {
  std::string path;       // relative to the tree's root; empty for the root itself
  struct stat status{};   //
  int parent = -1;        // open directory that holds it; the root itself when path is empty
  std::string name;       // in `parent`
  std::string target;     // of a symbolic link
  std::string same_file;  // path of the entry visited earlier that is the same file; empty: none
};

using Visit = std::function<Result<>(const TreeEntry&)>;

// Visits the root and everything below it: parents before children, siblings in byte order. Only what a
// template may hold passes: directories, regular files and symbolic links, on one file system, with ids and
// names within the rules; anything else is an error that names it.
Result<> walk_tree(int root, const Visit& visit);

}  // namespace templates
