// Disks that are directories under project quota: nothing to copy, to mount or to reserve. What a sandbox
// leaves there is removed in the background, file by file.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "base/units.h"
#include "spawner/chore.h"
#include "spawner/disks.h"
#include "sys/delete_tree.h"
#include "sys/directory.h"
#include "sys/mount.h"
#include "sys/project_quota.h"

namespace spawner {

namespace {

using base::Code;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kBytesPerInode = 8192;
constexpr std::uint64_t kFewestInodes = 128;
constexpr std::chrono::seconds kRetry{10};
// Beyond the host's user ids, which people use as project numbers.
constexpr std::uint32_t kFirstProject = 1U << 30;

class QuotaDisks final : public Disks {
 public:
  QuotaDisks(const base::DiskConfig& config, const base::Paths& paths) : config_(config), paths_(paths) {}

  Result<> begin() {
    ASSIGN_OR_RETURN(top_, sys::open(paths_.disks, O_RDONLY | O_DIRECTORY));
    return sys::check_project_quota(top_.get());
  }

  std::string_view name() const override { return "quota"; }
  std::uint64_t default_bytes(std::uint64_t) const override { return config_.default_bytes; }
  Result<> check(std::uint64_t, std::uint64_t) const override { return {}; }

  Result<Disk> take(const base::SandboxId& id, std::uint64_t bytes) override;
  void give_back(const base::SandboxId& id, sys::UniqueFd) override { discard(id.text()); }
  Result<> reconcile(const std::set<std::string>& living) override;

  std::vector<int> waits() const override {
    return removal_ ? std::vector{removal_->fd()} : std::vector<int>();
  }
  void tend() override;

  std::string state() const override { return fmt::format("{} being removed", discarded_.size()); }

 private:
  // What living sandboxes may still write.
  Result<std::uint64_t> promised() const;
  Result<std::uint32_t> unused_project() const;
  void discard(const std::string& name) {
    living_.erase(name);
    if (std::ranges::find(discarded_, name) == discarded_.end()) discarded_.push_back(name);
  }

  const base::DiskConfig config_;
  const base::Paths& paths_;
  sys::UniqueFd top_;
  std::map<std::string, std::uint32_t> living_;  // directory to project
  std::deque<std::string> discarded_;
  std::optional<Chore> removal_;  // of the first of them
  Clock::time_point removal_after_;
};

Result<std::uint64_t> QuotaDisks::promised() const {
  std::uint64_t sum = 0;
  for (const auto& [name, project] : living_) {
    ASSIGN_OR_RETURN(const auto state, sys::project_state(top_.get(), project));
    sum += state.limits.bytes - std::min(state.limits.bytes, state.used.bytes);
  }
  return sum;
}

Result<std::uint32_t> QuotaDisks::unused_project() const {
  for (int tries = 0; tries < 100; ++tries) {
    const auto random = std::stoul(base::random_hex(4), nullptr, 16);
    const auto project = kFirstProject + static_cast<std::uint32_t>(random % kFirstProject);
    ASSIGN_OR_RETURN(const auto state, sys::project_state(top_.get(), project));
    const bool unused = state.used.inodes == 0 && state.used.bytes == 0 && state.limits.bytes == 0;
    if (unused) return project;
  }
  return base::fail(Code::kExhausted, "no unused project number for quota");
}

Result<Disk> QuotaDisks::take(const base::SandboxId& id, std::uint64_t bytes) {
  ASSIGN_OR_RETURN(const auto others, promised());
  RETURN_IF_ERROR(check_room(paths_, bytes, config_.reserve + others));
  ASSIGN_OR_RETURN(const auto project, unused_project());
  RETURN_IF_ERROR(sys::mkdirat(top_.get(), id.text(), 0700));
  ASSIGN_OR_RETURN(const auto directory,
                   sys::openat(top_.get(), id.text(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  RETURN_IF_ERROR(sys::set_project_limits(
      top_.get(), project, {.bytes = bytes, .inodes = std::max(bytes / kBytesPerInode, kFewestInodes)}));
  RETURN_IF_ERROR(sys::set_project(directory.get(), project));
  living_.emplace(id.text(), project);
  Disk disk;
  ASSIGN_OR_RETURN(disk.mount, sys::clone_mount(directory.get(), ""));
  RETURN_IF_ERROR(
      sys::set_mount_attributes(disk.mount.get(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME));
  return disk;
}

Result<> QuotaDisks::reconcile(const std::set<std::string>& living) {
  ASSIGN_OR_RETURN(const auto names, sys::entries_at(top_.get()));
  for (const std::string& name : names) {
    if (!living.contains(name)) {
      discard(name);
      continue;
    }
    ASSIGN_OR_RETURN(const auto directory,
                     sys::openat(top_.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    ASSIGN_OR_RETURN(const auto project, sys::project_of(directory.get()));
    living_.emplace(name, project);
  }
  return {};
}

// In the child: a walk over whatever the sandbox left, by descriptors and past no link.
Result<Chore::Made> remove_disk(int top, const std::string& name) {
  auto directory = sys::openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory && directory.error().code == Code::kNotFound) return Chore::Made();
  if (!directory) return std::unexpected(std::move(directory).error());
  ASSIGN_OR_RETURN(const auto project, sys::project_of(directory->get()));
  RETURN_IF_ERROR(sys::empty_directory(directory->get()));
  if (project >= kFirstProject) RETURN_IF_ERROR(sys::set_project_limits(top, project, {}));
  RETURN_IF_ERROR(sys::unlinkat(top, name, AT_REMOVEDIR));
  return Chore::Made();
}

void QuotaDisks::tend() {
  if (removal_ && removal_->is_done()) {
    const auto gone = removal_->finish();
    removal_.reset();
    if (gone) {
      discarded_.pop_front();
    } else {
      // Another one's turn first: a tree that resists keeps nobody else waiting.
      std::ranges::rotate(discarded_, discarded_.begin() + 1);
      removal_after_ = Clock::now() + kRetry;
    }
  }
  if (removal_ || discarded_.empty() || Clock::now() < removal_after_) return;
  const auto work = [&] { return remove_disk(top_.get(), discarded_.front()); };
  if (auto chore = Chore::start(work, {top_.get()})) {
    removal_ = *std::move(chore);
  } else {
    removal_after_ = Clock::now() + kRetry;
  }
}

}  // namespace

Result<std::unique_ptr<Disks>> make_quota_disks(const base::DiskConfig& config, const base::Paths& paths) {
  auto disks = std::make_unique<QuotaDisks>(config, paths);
  RETURN_IF_ERROR(disks->begin());
  return disks;
}

}  // namespace spawner
