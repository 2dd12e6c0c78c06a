// Disks that are ext4 images on loop devices: they work on any file system, and their space is reserved when
// they are made, so that a host that fills up later takes nothing away from a sandbox. A disk that was hardly
// used, as most are, is emptied for the next sandbox; any other is replaced.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>

#include "base/units.h"
#include "spawner/chore.h"
#include "spawner/disks.h"
#include "spawner/loop_image.h"
#include "sys/loop.h"
#include "sys/space.h"

namespace spawner {

namespace {

using base::Code;
using Clock = std::chrono::steady_clock;

// Empty images of sizes that were asked for, kept for the next time; each takes up some hundred KiB.
constexpr std::size_t kMostGoldens = 16;
constexpr std::chrono::seconds kRetry{10};
constexpr std::size_t kDiscardsAtOnce = 64;
constexpr std::size_t kRenewalsAtOnce = 8;
static_assert(kRenewalsAtOnce <= Chore::kMostMade);

// A disk of the default size that its sandbox has left.
struct Used {
  sys::UniqueFd mount;
  std::uint64_t writes = 0;  // to its device, before it was handed out
};

Chore::Made one(sys::UniqueFd mount) {
  Chore::Made made;
  made.push_back(std::move(mount));
  return made;
}

// The end of a file system waits for its device; nothing on it is worth that wait here.
void abandon(int mount) {
  const auto root = sys::openat(mount, ".", O_RDONLY | O_DIRECTORY);
  if (root) (void)sys::abandon_file_system(root->get());
}

class LoopDisks final : public Disks {
 public:
  LoopDisks(const base::DiskConfig& config, const base::Paths& paths) : config_(config), paths_(paths) {}

  // Makes the first disk for real: whether that works is the probe.
  Result<> begin() {
    ASSIGN_OR_RETURN(const auto directory, sys::open(paths_.disks, O_RDONLY | O_DIRECTORY));
    ASSIGN_OR_RETURN(const bool in_memory, sys::is_in_memory(directory.get()));
    if (in_memory) {
      return base::fail(Code::kUnsupported,
                        paths_.disks + " lies in memory, where a disk would take all of its size at once");
    }
    auto first = make(config_.default_bytes);
    if (first) {
      ready_.push_back(*std::move(first));
      return {};
    }
    // A host without room can do it; it says so when somebody asks for a disk.
    if (first.error().code == Code::kExhausted) return {};
    return std::unexpected(std::move(first).error());
  }

  std::string_view name() const override { return "loop"; }
  std::uint64_t default_bytes(std::uint64_t) const override { return config_.default_bytes; }
  Result<> check(std::uint64_t, std::uint64_t) const override { return {}; }

  Result<Disk> take(const base::SandboxId& id, std::uint64_t bytes) override {
    Disk disk;
    ASSIGN_OR_RETURN(disk.mount, mount_of(bytes));
    ASSIGN_OR_RETURN(disk.hold, sys::lift_fd(disk.mount.get(), 3));
    if (bytes == config_.default_bytes) {
      ASSIGN_OR_RETURN(const auto writes, sys::device_writes(disk.mount.get()));
      writes_before_.insert_or_assign(id, writes);
    }
    return disk;
  }

  void give_back(const base::SandboxId& id, sys::UniqueFd hold) override;

  // Nothing of a dead spawner is left: its images had no names, its devices and mounts ended with their last
  // user.
  Result<> reconcile(const std::set<std::string>&) override { return {}; }

  std::vector<int> waits() const override {
    std::vector<int> fds;
    if (refill_) fds.push_back(refill_->fd());
    if (renewal_) fds.push_back(renewal_->fd());
    if (discard_) fds.push_back(discard_->fd());
    return fds;
  }

  void tend() override;

  std::string state() const override {
    return fmt::format("{} of {} ready ({} each), {} being emptied, {} being removed", ready_.size(),
                       config_.pool, base::format_bytes(config_.default_bytes), used_.size() + renewing_,
                       discarded_.size() + (discard_ ? 1 : 0));
  }

 private:
  Result<sys::UniqueFd> mount_of(std::uint64_t bytes);
  Result<sys::UniqueFd> make(std::uint64_t bytes);
  Result<int> golden_of(std::uint64_t bytes);
  Result<sys::UniqueFd> take_ready();
  // Those that wait, and those that soon do.
  std::size_t pooled() const { return ready_.size() + used_.size() + renewing_ + (refill_ ? 1 : 0); }
  void start_refill();
  void finish_refill();
  void start_renewal();
  void finish_renewal();
  void start_discard();

  const base::DiskConfig config_;
  const base::Paths& paths_;
  std::map<std::uint64_t, sys::UniqueFd> goldens_;
  std::deque<sys::UniqueFd> ready_;
  std::deque<Used> used_;
  std::deque<sys::UniqueFd> discarded_;
  std::map<base::SandboxId, std::uint64_t> writes_before_;  // of disks of the default size, in use
  std::optional<Chore> refill_;
  std::optional<Chore> renewal_;
  std::size_t renewing_ = 0;
  std::optional<Chore> discard_;
  Clock::time_point refill_after_;
};

Result<sys::UniqueFd> LoopDisks::mount_of(std::uint64_t bytes) {
  if (bytes == config_.default_bytes) {
    if (auto taken = take_ready()) return taken;
  }
  auto made = make(bytes);
  if (made || made.error().code != Code::kExhausted || pooled() == 0) return made;
  // What waits for nobody in particular gives way to somebody.
  finish_renewal();
  used_.clear();
  ready_.clear();
  refill_after_ = Clock::now() + kRetry;
  return make(bytes);
}

// One that is being emptied is sooner there than one that is being made, and that sooner than one begun now.
Result<sys::UniqueFd> LoopDisks::take_ready() {
  if (ready_.empty() && !renewal_) start_renewal();
  if (ready_.empty()) finish_renewal();
  if (ready_.empty()) finish_refill();
  if (ready_.empty()) return base::fail(Code::kNotFound, "no disk is ready");
  sys::UniqueFd mount = std::move(ready_.front());
  ready_.pop_front();
  return mount;
}

Result<sys::UniqueFd> LoopDisks::make(std::uint64_t bytes) {
  RETURN_IF_ERROR(check_room(paths_, bytes, config_.reserve));
  ASSIGN_OR_RETURN(const int golden, golden_of(bytes));
  return mount_copy(paths_.disks, golden, bytes);
}

Result<int> LoopDisks::golden_of(std::uint64_t bytes) {
  if (const auto found = goldens_.find(bytes); found != goldens_.end()) return found->second.get();
  ASSIGN_OR_RETURN(auto golden, make_golden_image(paths_.disks, bytes));
  if (goldens_.size() >= kMostGoldens) {
    goldens_.erase(goldens_.begin()->first != config_.default_bytes ? goldens_.begin()
                                                                    : std::next(goldens_.begin()));
  }
  return goldens_.emplace(bytes, std::move(golden)).first->second.get();
}

void LoopDisks::tend() {
  if (refill_ && refill_->is_done()) finish_refill();
  if (renewal_ && renewal_->is_done()) finish_renewal();
  if (discard_ && discard_->is_done()) {
    (void)discard_->finish();
    discard_.reset();
  }
  if (!discard_ && !discarded_.empty()) start_discard();
  if (!renewal_) start_renewal();
  if (!refill_ && pooled() < config_.pool && Clock::now() >= refill_after_) start_refill();
}

void LoopDisks::give_back(const base::SandboxId& id, sys::UniqueFd hold) {
  const auto before = writes_before_.extract(id);
  if (!hold) return;
  if (before.empty() || pooled() >= config_.pool) {
    discarded_.push_back(std::move(hold));
  } else {
    used_.push_back({.mount = std::move(hold), .writes = before.mapped()});
  }
}

void LoopDisks::start_refill() {
  const auto golden = golden_of(config_.default_bytes);
  const auto room = check_room(paths_, config_.default_bytes, config_.reserve);
  if (golden && room) {
    const auto work = [&]() -> Result<Chore::Made> {
      ASSIGN_OR_RETURN(auto mount, mount_copy(paths_.disks, *golden, config_.default_bytes));
      return one(std::move(mount));
    };
    if (auto chore = Chore::start(work, {*golden})) {
      refill_ = *std::move(chore);
      return;
    }
  }
  refill_after_ = Clock::now() + kRetry;
}

void LoopDisks::finish_refill() {
  if (!refill_) return;
  auto made = refill_->finish();
  refill_.reset();
  if (!made) refill_after_ = Clock::now() + kRetry;
  if (made) std::ranges::move(*made, std::back_inserter(ready_));
}

// In a child, which also lets go of those that cannot be used again.
void LoopDisks::start_renewal() {
  if (used_.empty()) return;
  std::vector<Used> disks;
  std::vector<int> fds;
  while (!used_.empty() && disks.size() < kRenewalsAtOnce) {
    disks.push_back(std::move(used_.front()));
    used_.pop_front();
    fds.push_back(disks.back().mount.get());
  }
  const auto work = [&]() -> Result<Chore::Made> {
    Chore::Made renewed;
    for (const Used& disk : disks) {
      if (auto mount = renew(disk.mount.get(), disk.writes)) {
        renewed.push_back(*std::move(mount));
      } else {
        abandon(disk.mount.get());
      }
    }
    return renewed;
  };
  if (auto chore = Chore::start(work, fds)) {
    renewal_ = *std::move(chore);
    renewing_ = disks.size();
  }
}

void LoopDisks::finish_renewal() {
  if (!renewal_) return;
  auto renewed = renewal_->finish();
  renewal_.reset();
  renewing_ = 0;
  if (renewed) std::ranges::move(*renewed, std::back_inserter(ready_));
}

void LoopDisks::start_discard() {
  const std::size_t count = std::min(discarded_.size(), kDiscardsAtOnce);
  std::vector<sys::UniqueFd> disks;
  std::vector<int> fds;
  for (std::size_t i = 0; i < count; ++i) {
    fds.push_back(discarded_.front().get());
    disks.push_back(std::move(discarded_.front()));
    discarded_.pop_front();
  }
  const auto work = [&]() -> Result<Chore::Made> {
    for (const sys::UniqueFd& disk : disks) abandon(disk.get());
    disks.clear();
    return Chore::Made();
  };
  // When no child can be had, closing them here is as good, only slower.
  if (auto chore = Chore::start(work, fds)) discard_ = *std::move(chore);
}

}  // namespace

Result<std::unique_ptr<Disks>> make_loop_disks(const base::DiskConfig& config, const base::Paths& paths) {
  auto disks = std::make_unique<LoopDisks>(config, paths);
  RETURN_IF_ERROR(disks->begin());
  return disks;
}

}  // namespace spawner
