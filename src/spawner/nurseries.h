#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "spawner/id_blocks.h"

namespace spawner {

// A nursery is the user namespace that a template's sandboxes are born in: mapped over the template's id
// slot, without privilege anywhere else. It owns their network namespaces, so that root inside a sandbox does
// not, and it is where a process may enter those sandboxes and nothing else. It has no pid namespace: a pid 1
// there would take every sandbox down with it.
struct Nursery {
  std::uint32_t slot = 0;
  sys::UniqueFd user_namespace;
};

class Nurseries {
 public:
  explicit Nurseries(IdBlocks& blocks) : blocks_(blocks) {}

  // The nursery of a template (or of a build), made on first use.
  Result<const Nursery*> of(const std::string& root);
  // The same without making one.
  const Nursery* find(const std::string& root) const;
  void retire(const std::string& root);
  // Gives up those whose root is not in the list, and tells which; they are made again when needed.
  std::vector<std::string> retire_idle(const std::set<std::string>& roots_in_use);
  std::size_t size() const { return nurseries_.size(); }

 private:
  IdBlocks& blocks_;
  std::map<std::string, Nursery> nurseries_;
};

}  // namespace spawner
