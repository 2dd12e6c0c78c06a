#pragma once

#include <optional>

#include "engine/files.h"

// Which files a run has made, changed and removed: a tree is listed before it and after it, as the sandbox's
// user sees it, and the lists are compared. Everything has a bound, because what is listed is hostile.
namespace engine {

constexpr std::size_t kMostLookedAt = 100'000;     // in one list
constexpr std::size_t kMostRemembered = 20'000;    // of those: what is no noise
constexpr std::size_t kMostNamed = 1'000;          // of created, changed and removed each
constexpr std::size_t kMostNameBytes = 256 << 10;  // of those names together

// Everything below a directory at one moment.
struct Listing {
  std::vector<wire::file::Entry> entries;  // in the order of their paths, which lie below the directory
  // The last path that was looked at, when there was more.
  std::optional<std::string> cut_after;
};

struct FileChanges {
  struct Kind {
    std::vector<std::string> paths;  // absolute; the first ones
    std::size_t path_bytes = 0;      // of those
    std::uint64_t count = 0;         // of all
  };
  Kind created;
  Kind changed;
  Kind removed;
  bool is_cut = false;                                // there may be more than was looked at, or is named
  std::optional<std::string> unknown = std::nullopt;  // why nothing can be said
};

// What programs leave for themselves and nobody would call a file of theirs: caches and histories at their
// usual places in the home directory, compiled Python anywhere. The path is absolute.
bool is_noise(std::string_view path);

// What lies in a directory right behind it, as a sandbox lists it.
void put_in_order(Listing& listing);

// Adds how a directory has changed. A directory in it counts as changed when its mode did, not when something
// in it did. What lies behind the end of a list that is cut is not judged.
void add_changes(const std::string& directory, const Listing& before, const Listing& after,
                 FileChanges& changes);

// The home directory of a sandbox and its working directory, from before a run to after it.
class WatchedTrees {
 public:
  // A working directory that holds the home directory is too much to look at.
  WatchedTrees(Sandbox& sandbox, const std::string& working_directory);

  // Before anything runs. A failure is told by changes().
  void begin();
  // The same, for a sandbox whose home is as its template has it, which lies here on this side. Nothing in
  // the sandbox notices.
  void begin_untouched(const std::string& template_root);
  FileChanges changes();

 private:
  Result<std::vector<Listing>> list_all();

  Sandbox& sandbox_;
  std::vector<std::string> directories_;
  Result<std::vector<Listing>> before_;
};

}  // namespace engine
