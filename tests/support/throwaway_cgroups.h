// A parent group with a random name in this host's real hierarchies, gone with its owner together with all
// that was made in it. Needs root.
#pragma once

#include "base/ids.h"
#include "sys/cgroup.h"

namespace support {

class ThrowawayCgroups {
 public:
  static base::Result<ThrowawayCgroups> make() {
    ASSIGN_OR_RETURN(const auto mounts, sys::find_cgroup_mounts());
    std::string parent = "cove-unit-" + base::random_hex(6);
    ASSIGN_OR_RETURN(auto tree, sys::open_cgroup_tree(parent, mounts));
    return ThrowawayCgroups(std::move(parent), std::move(tree));
  }

  ThrowawayCgroups(ThrowawayCgroups&&) = default;
  ThrowawayCgroups& operator=(ThrowawayCgroups&&) = default;
  ~ThrowawayCgroups() {
    if (tree_ == nullptr) return;
    for (const std::string& name : tree_->list().value_or(std::vector<std::string>{})) {
      (void)tree_->kill_all(name);
      (void)tree_->wait_empty(name, std::chrono::seconds(10));
      (void)tree_->remove(name);
    }
    (void)tree_->remove_parent();
  }

  sys::CgroupTree& tree() { return *tree_; }
  const std::string& parent() const { return parent_; }

 private:
  ThrowawayCgroups(std::string parent, std::unique_ptr<sys::CgroupTree> tree)
      : parent_(std::move(parent)), tree_(std::move(tree)) {}
  std::string parent_;
  std::unique_ptr<sys::CgroupTree> tree_;
};

constexpr sys::CgroupLimits kRoomy{.memory_bytes = 256 << 20, .max_pids = 64, .cpu_millis = 2000};

}  // namespace support
