#include "spawner/disks.h"

#include <fmt/format.h>

#include <array>

#include "base/units.h"

namespace spawner {

namespace {

using base::Code;
using base::DiskBackend;

struct Backend {
  DiskBackend which;
  std::string_view name;
  Result<std::unique_ptr<Disks>> (*make)(const base::DiskConfig&, const base::Paths&);
};

// In the order of preference: no reserved space and no copy; any file system; always there.
constexpr std::array kBackends = {
    Backend{DiskBackend::kQuota, "quota", make_quota_disks},
    Backend{DiskBackend::kLoop, "loop", make_loop_disks},
    Backend{DiskBackend::kTmpfs, "tmpfs", make_tmpfs_disks},
};

}  // namespace

Result<ChosenDisks> choose_disks(const base::DiskConfig& config, const base::Paths& paths) {
  ChosenDisks chosen;
  for (const Backend& backend : kBackends) {
    if (config.backend != DiskBackend::kAuto && config.backend != backend.which) continue;
    auto made = backend.make(config, paths);
    if (made) {
      chosen.disks = *std::move(made);
      return chosen;
    }
    chosen.refusals += fmt::format("{}{}: {}", chosen.refusals.empty() ? "" : "; ", backend.name,
                                   std::move(made).error().message);
  }
  return base::fail(
      Code::kUnsupported,
      fmt::format("no disks for sandboxes ({}); choose another with 'disk = auto|quota|loop|tmpfs' "
                  "in the configuration",
                  chosen.refusals));
}

Result<> check_room(const base::Paths& paths, std::uint64_t bytes, std::uint64_t reserve) {
  ASSIGN_OR_RETURN(const auto room, sys::free_space(paths.disks));
  if (room.bytes >= reserve && room.bytes - reserve >= bytes) return {};
  return base::fail(
      Code::kExhausted,
      fmt::format(
          "no room for a disk of {}: {} has {} free, of which {} stay in reserve; end sandboxes, free "
          "space there, or ask for a smaller disk (--disk)",
          base::format_bytes(bytes), paths.disks, base::format_bytes(room.bytes),
          base::format_bytes(reserve)));
}

}  // namespace spawner
