// Disks in memory: always possible, and part of the sandbox's memory limit.
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "spawner/disks.h"
#include "sys/mount.h"

namespace spawner {

namespace {

// Every inode takes kernel memory: bounded, so that they cannot eat more of it than the files do.
std::uint64_t inodes_of(std::uint64_t bytes) {
  return std::clamp<std::uint64_t>(bytes / 4096, 4096, std::uint64_t{1} << 20);
}

class TmpfsDisks final : public Disks {
 public:
  std::string_view name() const override { return "tmpfs"; }

  std::uint64_t default_bytes(std::uint64_t memory_bytes) const override { return memory_bytes / 2; }

  Result<> check(std::uint64_t bytes, std::uint64_t memory_bytes) const override {
    if (bytes <= memory_bytes) return {};
    return base::fail(base::Code::kInvalid,
                      fmt::format("the disk lives in memory (backend tmpfs), so its size ({}) cannot exceed "
                                  "the memory limit ({})",
                                  base::format_bytes(bytes), base::format_bytes(memory_bytes)));
  }

  Result<Disk> take(const base::SandboxId&, std::uint64_t bytes) override {
    Disk disk;
    ASSIGN_OR_RETURN(disk.mount, sys::make_mount("tmpfs",
                                                 {{"mode", "0700"},
                                                  {"size", std::to_string(bytes)},
                                                  {"nr_inodes", std::to_string(inodes_of(bytes))}},
                                                 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
    // Nothing is held: its pages go with the last process, and are charged to nobody afterwards.
    return disk;
  }

  void give_back(const base::SandboxId&, sys::UniqueFd) override {}
  Result<> reconcile(const std::set<std::string>&) override { return {}; }
};

}  // namespace

Result<std::unique_ptr<Disks>> make_tmpfs_disks(const base::DiskConfig&, const base::Paths&) {
  return std::make_unique<TmpfsDisks>();
}

}  // namespace spawner
