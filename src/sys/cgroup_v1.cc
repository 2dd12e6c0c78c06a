#include "sys/cgroup_v1.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <set>

namespace sys {

namespace {

// Writes a limit file that some kernels do not have (swap accounting off): then there is nothing to limit.
Result<> write_if_present(int dir, const std::string& file, const std::string& value) {
  auto done = write_existing_at(dir, file, value);
  if (!done && done.error().sys_errno == ENOENT) return {};
  return done;
}

constexpr const char* kSocketBuffers = "memory.kmem.tcp.limit_in_bytes";
constexpr std::uint64_t kSocketBufferShare = 8;  // of the memory limit, and on top of it

class V1Tree final : public CgroupTree {
 public:
  using CgroupTree::CgroupTree;

  Result<> make_parents() const {
    for (const std::string& root : roots()) RETURN_IF_ERROR(mkdir_if_missing(root, 0755));
    // The first group that counts socket buffers makes the kernel patch its own code, and so does the end of
    // the last. The parent counts for as long as it is there, so that no sandbox waits for that.
    ASSIGN_OR_RETURN(const auto parent, open_controller("memory", ""));
    return write_existing_at(parent.get(), kSocketBuffers, "-1");
  }

  using CgroupTree::create;

  Result<CgroupGroup> create(const std::string& name) override {
    CgroupGroup group;
    RETURN_IF_ERROR(mkdirat(AT_FDCWD, unified_path() + "/" + name, 0755));
    ASSIGN_OR_RETURN(group.unified, open_unified(name));
    for (const std::string& root : roots()) {
      RETURN_IF_ERROR(mkdirat(AT_FDCWD, root + "/" + name, 0755));
      ASSIGN_OR_RETURN(auto procs, open(root + "/" + name + "/cgroup.procs", O_WRONLY));
      group.join.push_back(std::move(procs));
    }
    ASSIGN_OR_RETURN(const auto pids, open_controller("pids", name));
    ASSIGN_OR_RETURN(group.gauges.pids, openat(pids.get(), "pids.events", O_RDONLY));
    RETURN_IF_ERROR(open_memory_gauges(name, group.gauges));
    return group;
  }

  Result<> set_limits(const std::string& name, const CgroupLimits& limits) override {
    RETURN_IF_ERROR(limit_memory(name, limits));
    ASSIGN_OR_RETURN(const auto pids, open_controller("pids", name));
    RETURN_IF_ERROR(write_existing_at(pids.get(), "pids.max", std::to_string(limits.max_pids)));
    return limit_cpu(name, limits);
  }

  Result<> move_in(const std::string& name, pid_t pid) const override {
    for (const std::string& root : roots()) {
      RETURN_IF_ERROR(write_existing(root + "/" + name + "/cgroup.procs", std::to_string(pid)));
    }
    RETURN_IF_ERROR(write_existing(unified_path() + "/" + name + "/cgroup.procs", std::to_string(pid)));
    ASSIGN_OR_RETURN(const auto pids, open_controller("pids", name));
    return check_pids(pids.get());
  }

  Result<> set_idle(const std::string& name, bool idle) const override {
    ASSIGN_OR_RETURN(const auto cpu, open_controller("cpu", name));
    return write_existing_at(cpu.get(), "cpu.idle", idle ? "1" : "0");
  }

  Result<std::uint64_t> memory(const std::string& name) const override {
    ASSIGN_OR_RETURN(const auto dir, open_controller("memory", name));
    ASSIGN_OR_RETURN(const auto text, read_file_at(dir.get(), "memory.usage_in_bytes"));
    return std::strtoull(text.c_str(), nullptr, 10);
  }

  Result<> remove(const std::string& name) override {
    for (const std::string& root : roots()) {
      auto done = unlinkat(AT_FDCWD, root + "/" + name, AT_REMOVEDIR);
      if (!done && done.error().sys_errno != ENOENT) return done;
    }
    auto dir = open_unified(name);
    if (!dir && dir.error().code == base::Code::kNotFound) return {};
    if (!dir) return std::unexpected(std::move(dir).error());
    RETURN_IF_ERROR(remove_leaves(dir->get()));
    return unlinkat(AT_FDCWD, unified_path() + "/" + name, AT_REMOVEDIR);
  }

  Result<> remove_parent() override {
    for (const std::string& root : roots()) RETURN_IF_ERROR(unlinkat(AT_FDCWD, root, AT_REMOVEDIR));
    return unlinkat(AT_FDCWD, unified_path(), AT_REMOVEDIR);
  }

  std::string_view version() const override { return "v1"; }

  Result<std::uint64_t> oom_kills(const std::string& name) const override {
    ASSIGN_OR_RETURN(const auto dir, open_controller("memory", name));
    ASSIGN_OR_RETURN(const auto counters, openat(dir.get(), "memory.oom_control", O_RDONLY));
    ASSIGN_OR_RETURN(const auto text, pread_text(counters.get()));
    return gauge_value(text, "oom_kill");
  }

 private:
  // Controllers that are mounted together are one hierarchy, entered once.
  std::set<std::string> roots() const {
    std::set<std::string> out;
    for (const auto& [controller, path] : mounts_.controllers) out.insert(path + "/" + parent_);
    return out;
  }

  Result<UniqueFd> open_controller(const std::string& controller, const std::string& name) const {
    return open(mounts_.controllers.at(controller) + "/" + parent_ + "/" + name, O_RDONLY | O_DIRECTORY);
  }

  Result<> open_memory_gauges(const std::string& name, CgroupGauges& gauges) const {
    ASSIGN_OR_RETURN(const auto dir, open_controller("memory", name));
    ASSIGN_OR_RETURN(gauges.oom, openat(dir.get(), "memory.oom_control", O_RDONLY));
    gauges.oom_notify.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!gauges.oom_notify) return base::failed_call("eventfd");
    const std::string wiring =
        std::to_string(gauges.oom_notify.get()) + " " + std::to_string(gauges.oom.get());
    RETURN_IF_ERROR(write_existing_at(dir.get(), "cgroup.event_control", wiring));
    ASSIGN_OR_RETURN(gauges.memory_peak, openat(dir.get(), "memory.max_usage_in_bytes", O_RDWR));
    return {};
  }

  Result<> limit_memory(const std::string& name, const CgroupLimits& limits) const {
    ASSIGN_OR_RETURN(const auto dir, open_controller("memory", name));
    const std::string bytes = std::to_string(limits.memory_bytes);
    RETURN_IF_ERROR(write_existing_at(dir.get(), "memory.limit_in_bytes", bytes));
    RETURN_IF_ERROR(write_if_present(dir.get(), "memory.memsw.limit_in_bytes", bytes));
    RETURN_IF_ERROR(write_if_present(dir.get(), "memory.swappiness", "0"));
    // Buffers of TCP and UDP are no part of the limit above in v1, and without one of their own they are
    // counted nowhere but in what the whole machine may use.
    return write_existing_at(dir.get(), kSocketBuffers,
                             std::to_string(limits.memory_bytes / kSocketBufferShare));
  }

  Result<> limit_cpu(const std::string& name, const CgroupLimits& limits) const {
    ASSIGN_OR_RETURN(const auto dir, open_controller("cpu", name));
    const auto quota = static_cast<std::uint64_t>(limits.cpu_millis) * kCpuPeriodUs / 1000;
    RETURN_IF_ERROR(write_existing_at(dir.get(), "cpu.cfs_period_us", std::to_string(kCpuPeriodUs)));
    return write_existing_at(dir.get(), "cpu.cfs_quota_us", std::to_string(quota));
  }
};

}  // namespace

Result<std::unique_ptr<CgroupTree>> make_v1_tree(const std::string& parent, const CgroupMounts& mounts) {
  for (const char* needed : {"memory", "pids", "cpu"}) {
    if (mounts.controllers.contains(needed)) continue;
    return base::fail(base::Code::kUnsupported,
                      std::string("cgroup controller ") + needed + " is mounted in no hierarchy");
  }
  auto tree = std::make_unique<V1Tree>(parent, mounts);
  RETURN_IF_ERROR(tree->make_parents());
  return std::unique_ptr<CgroupTree>(std::move(tree));
}

}  // namespace sys
