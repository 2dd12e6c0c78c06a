#pragma once

#include <string>
#include <vector>

#include "sys/file.h"

namespace files {

using base::Result;

// What is met on a walk.
struct Met {
  int parent = -1;          // open directory that holds it
  const std::string& name;  // in `parent`
  const std::string& path;  // below the top
  std::size_t depth = 0;    // 1 for what lies right below the top
  const struct stat& status;
};

enum class Next { kGoIn, kGoOn, kStop };

class Visitor {
 public:
  virtual ~Visitor() = default;
  // Before what is below it. Of anything but a directory, kGoIn means kGoOn.
  virtual Result<Next> enter(const Met& met) = 0;
  // Behind everything that was below a directory that was gone into.
  virtual Result<> leave(const Met&) { return {}; }
  // The names of a directory; the last is met first.
  virtual void sort(int directory, std::vector<std::string>& names);
  // A directory that cannot be gone into. An error ends the walk.
  virtual Result<> closed(const std::string&, base::Error error) { return std::unexpected(std::move(error)); }
};

// Goes through everything below an open directory. Follows no link; holds two descriptors however deep the
// tree is, because it comes back up by "..", and stops with kConflict when that is another directory than the
// one it came from. What vanishes meanwhile is passed over.
Result<> walk_tree(int top, Visitor& visitor);

}  // namespace files
