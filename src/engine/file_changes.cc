#include "engine/file_changes.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <span>

#include "engine/known_tree.h"
#include "sys/timer.h"

namespace engine {

namespace {

using base::Code;
using wire::file::Entry;

constexpr std::string_view kHome = "/home/user";
// A hostile tree may be slow to list, and the sandbox may be at its limits: nobody waits longer for a
// receipt.
constexpr std::chrono::milliseconds kPatience{3'000};

// In the home directory, with everything in them.
constexpr std::array<std::string_view, 10> kNoise{".cache",
                                                  ".ipython",
                                                  ".jupyter",
                                                  ".npm",
                                                  ".config/matplotlib",
                                                  ".local/share/jupyter",
                                                  ".local/state",
                                                  ".python_history",
                                                  ".bash_history",
                                                  ".node_repl_history"};
// There too, but these alone: a program that needs a place in one makes it. What lies in them is told.
constexpr std::array<std::string_view, 3> kPlaces{".config", ".local", ".local/share"};
constexpr std::array<std::string_view, 2> kNoiseAnywhere{"__pycache__", ".ipynb_checkpoints"};

bool lies_in(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

// As a list has them: what lies in a directory comes right after it.
bool comes_before(std::string_view a, std::string_view b) {
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
}

class Looking : public FileObserver {
 public:
  Looking(const std::string& directory, int timer) : directory_(directory), timer_(timer) {}

  Result<> entry(const Entry& entry) override {
    if (listing.entries.size() == kMostRemembered || seen == kMostLookedAt) {
      listing.cut_after = last_;
      return base::fail(Code::kExhausted, "there is more than is looked at");
    }
    ++seen;
    last_ = entry.path;
    if (!is_noise(directory_ + "/" + entry.path)) listing.entries.push_back(entry);
    return {};
  }
  int interrupt_fd() const override { return timer_; }

  Listing listing;
  std::size_t seen = 0;

 private:
  const std::string& directory_;
  const int timer_;
  std::string last_;
};

Result<Listing> list_tree(Sandbox& sandbox, const std::string& directory, int timer) {
  Looking looking(directory, timer);
  const auto done = Files(sandbox).call(wire::file::List{.path = directory, .depth = UINT32_MAX}, looking);
  Listing& listing = looking.listing;
  // A directory that is not there has nothing in it.
  const bool is_missing = !done && done.error().code == Code::kNotFound && looking.seen == 0;
  if (!done && !listing.cut_after && !is_missing)
    return std::unexpected(base::with_context(directory, done.error()));
  put_in_order(listing);
  return std::move(listing);
}

// The upper half of an inode's number may be the overlay's own: it is another one seen from outside.
bool is_same_inode(const Entry& a, const Entry& b) {
  return static_cast<std::uint32_t>(a.inode) == static_cast<std::uint32_t>(b.inode);
}

bool is_same(const Entry& a, const Entry& b) {
  if (a.kind != b.kind || a.mode != b.mode) return false;
  if (a.kind == wire::file::Kind::kDirectory) return true;
  return a.size == b.size && a.modified_ns == b.modified_ns && is_same_inode(a, b) && a.target == b.target;
}

// The entries that both lists can tell about.
std::span<const Entry> judged(const Listing& listing, const std::optional<std::string>& end) {
  const auto last = end ? std::ranges::upper_bound(listing.entries, *end, comes_before, &Entry::path)
                        : listing.entries.end();
  return {listing.entries.begin(), last};
}

std::optional<std::string> common_end(const Listing& before, const Listing& after) {
  if (!before.cut_after || !after.cut_after) return before.cut_after ? before.cut_after : after.cut_after;
  return std::min(*before.cut_after, *after.cut_after, comes_before);
}

class Teller {
 public:
  Teller(const std::string& directory, FileChanges& changes) : directory_(directory), changes_(changes) {}

  void tell(FileChanges::Kind& kind, const Entry& entry) {
    std::string path = directory_ + "/" + entry.path;
    ++kind.count;
    kind.path_bytes += path.size();
    if (kind.count > kMostNamed || kind.path_bytes > kMostNameBytes) {
      changes_.is_cut = true;
    } else {
      kind.paths.push_back(std::move(path));
    }
  }

 private:
  const std::string& directory_;
  FileChanges& changes_;
};

}  // namespace

bool is_noise(std::string_view path) {
  for (const auto part : std::views::split(path, '/')) {
    if (std::ranges::find(kNoiseAnywhere, std::string_view(part)) != kNoiseAnywhere.end()) return true;
  }
  if (!lies_in(path, kHome) || path.size() == kHome.size()) return false;
  const std::string_view in_home = path.substr(kHome.size() + 1);
  return std::ranges::find(kPlaces, in_home) != kPlaces.end() ||
         std::ranges::any_of(kNoise, [&](std::string_view noise) { return lies_in(in_home, noise); });
}

void put_in_order(Listing& listing) {
  // Whoever answers may have its own idea of order; mostly it is the right one.
  if (std::ranges::is_sorted(listing.entries, comes_before, &Entry::path)) return;
  std::ranges::sort(listing.entries, comes_before, &Entry::path);
}

void add_changes(const std::string& directory, const Listing& before, const Listing& after,
                 FileChanges& changes) {
  const auto end = common_end(before, after);
  if (end) changes.is_cut = true;
  Teller teller(directory, changes);
  const auto old_entries = judged(before, end);
  const auto new_entries = judged(after, end);
  auto was = old_entries.begin();
  for (const Entry& is : new_entries) {
    for (; was != old_entries.end() && comes_before(was->path, is.path); ++was) {
      teller.tell(changes.removed, *was);
    }
    if (was == old_entries.end() || was->path != is.path) {
      teller.tell(changes.created, is);
    } else if (!is_same(*was++, is)) {
      teller.tell(changes.changed, is);
    }
  }
  for (; was != old_entries.end(); ++was) teller.tell(changes.removed, *was);
}

WatchedTrees::WatchedTrees(Sandbox& sandbox, const std::string& working_directory)
    : sandbox_(sandbox),
      directories_{std::string(kHome)},
      before_(base::fail(Code::kInternal, "nobody looked before the run")) {
  const bool is_apart = !lies_in(working_directory, kHome) && !lies_in(kHome, working_directory);
  if (is_apart && working_directory != "/") directories_.push_back(working_directory);
}

void WatchedTrees::begin() { before_ = list_all(); }

void WatchedTrees::begin_untouched(const std::string& template_root) {
  auto home = list_known_tree(template_root, std::string(kHome));
  if (!home || directories_.size() != 1) return begin();
  before_ = std::vector<Listing>{*std::move(home)};
}

FileChanges WatchedTrees::changes() {
  const auto after = before_ ? list_all() : std::unexpected(before_.error());
  FileChanges changes;
  if (!after) {
    changes.unknown = after.error().message;
    return changes;
  }
  for (std::size_t i = 0; i < directories_.size(); ++i) {
    add_changes(directories_[i], (*before_)[i], (*after)[i], changes);
  }
  return changes;
}

Result<std::vector<Listing>> WatchedTrees::list_all() {
  ASSIGN_OR_RETURN(const auto timer, sys::timer_after(kPatience));
  std::vector<Listing> listings;
  for (const std::string& directory : directories_) {
    ASSIGN_OR_RETURN(auto listing, list_tree(sandbox_, directory, timer.get()));
    listings.push_back(std::move(listing));
  }
  return listings;
}

}  // namespace engine
