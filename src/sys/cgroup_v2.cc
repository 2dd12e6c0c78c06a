#include "sys/cgroup_v2.h"

#include <unistd.h>

namespace sys {

namespace {

class V2Tree final : public CgroupTree {
 public:
  using CgroupTree::CgroupTree;

  Result<> enable_controllers() const {
    RETURN_IF_ERROR(write_existing(mounts_.unified + "/cgroup.subtree_control", "+memory +pids +cpu"));
    return write_existing(unified_path() + "/cgroup.subtree_control", "+memory +pids +cpu");
  }

  using CgroupTree::create;

  Result<CgroupGroup> create(const std::string& name) override {
    RETURN_IF_ERROR(mkdirat(AT_FDCWD, unified_path() + "/" + name, 0755));
    CgroupGroup group;
    ASSIGN_OR_RETURN(group.unified, open_unified(name));
    const int dir = group.unified.get();
    ASSIGN_OR_RETURN(group.gauges.oom, openat(dir, "memory.events", O_RDONLY));
    ASSIGN_OR_RETURN(group.gauges.oom_notify, openat(dir, "memory.events", O_RDONLY));
    // Kernels before 6.12 cannot reset it: there the peak is the sandbox's, not the run's.
    auto peak = openat(dir, "memory.peak", O_RDWR);
    if (!peak) peak = openat(dir, "memory.peak", O_RDONLY);
    if (!peak) return std::unexpected(std::move(peak).error());
    group.gauges.memory_peak = *std::move(peak);
    ASSIGN_OR_RETURN(group.gauges.pids, openat(dir, "pids.events", O_RDONLY));
    return group;
  }

  Result<> set_limits(const std::string& name, const CgroupLimits& limits) override {
    ASSIGN_OR_RETURN(const auto group, open_unified(name));
    const int dir = group.get();
    RETURN_IF_ERROR(write_existing_at(dir, "memory.max", std::to_string(limits.memory_bytes)));
    // Absent where the kernel has no swap accounting, and then there is no swap to limit.
    if (auto swap = write_existing_at(dir, "memory.swap.max", "0");
        !swap && swap.error().sys_errno != ENOENT) {
      return std::unexpected(std::move(swap).error());
    }
    RETURN_IF_ERROR(write_existing_at(dir, "pids.max", std::to_string(limits.max_pids)));
    const auto quota = static_cast<std::uint64_t>(limits.cpu_millis) * kCpuPeriodUs / 1000;
    return write_existing_at(dir, "cpu.max", std::to_string(quota) + " " + std::to_string(kCpuPeriodUs));
  }

  Result<> move_in(const std::string& name, pid_t pid) const override {
    ASSIGN_OR_RETURN(const auto group, open_unified(name));
    RETURN_IF_ERROR(write_existing_at(group.get(), "cgroup.procs", std::to_string(pid)));
    return check_pids(group.get());
  }

  Result<> set_idle(const std::string& name, bool idle) const override {
    ASSIGN_OR_RETURN(const auto group, open_unified(name));
    return write_existing_at(group.get(), "cpu.idle", idle ? "1" : "0");
  }

  Result<std::uint64_t> memory(const std::string& name) const override {
    ASSIGN_OR_RETURN(const auto text, read_file(unified_path() + "/" + name + "/memory.current"));
    return std::strtoull(text.c_str(), nullptr, 10);
  }

  Result<> remove(const std::string& name) override {
    auto dir = open_unified(name);
    if (!dir && dir.error().code == base::Code::kNotFound) return {};
    if (!dir) return std::unexpected(std::move(dir).error());
    RETURN_IF_ERROR(remove_leaves(dir->get()));
    return unlinkat(AT_FDCWD, unified_path() + "/" + name, AT_REMOVEDIR);
  }

  Result<> remove_parent() override { return unlinkat(AT_FDCWD, unified_path(), AT_REMOVEDIR); }
  std::string_view version() const override { return "v2"; }

  Result<std::uint64_t> oom_kills(const std::string& name) const override {
    ASSIGN_OR_RETURN(const auto text, read_file(unified_path() + "/" + name + "/memory.events"));
    return gauge_value(text, "oom_kill");
  }
};

}  // namespace

Result<std::unique_ptr<CgroupTree>> make_v2_tree(const std::string& parent, const CgroupMounts& mounts) {
  auto tree = std::make_unique<V2Tree>(parent, mounts);
  RETURN_IF_ERROR(tree->enable_controllers());
  return std::unique_ptr<CgroupTree>(std::move(tree));
}

}  // namespace sys
