#include "files/tree_walk.h"

#include <algorithm>
#include <cerrno>

#include "sys/directory.h"

namespace files {

namespace {

struct Level {
  std::vector<std::string> names;  // not met yet, the next one last
  struct stat status{};            // of the directory
  std::string name;                // of the directory in the one above
  std::size_t path_size = 0;       // of the path of the directory
};

class Walker {
 public:
  explicit Walker(Visitor& visitor) : visitor_(visitor) {}

  Result<> run(int top) {
    ASSIGN_OR_RETURN(here_, sys::openat(top, ".", O_RDONLY | O_DIRECTORY));
    RETURN_IF_ERROR(push(""));
    while (!levels_.empty() && !stopped_) RETURN_IF_ERROR(levels_.back().names.empty() ? rise() : meet());
    return {};
  }

 private:
  // The directory that is here now.
  Result<> push(std::string name) {
    Level level{.name = std::move(name), .path_size = path_.size()};
    ASSIGN_OR_RETURN(level.status, sys::fstat(here_.get()));
    ASSIGN_OR_RETURN(level.names, sys::entries_at(here_.get()));
    visitor_.sort(here_.get(), level.names);
    levels_.push_back(std::move(level));
    return {};
  }

  Result<> meet() {
    const std::string name = std::move(levels_.back().names.back());
    levels_.back().names.pop_back();
    path_.resize(levels_.back().path_size);
    if (!path_.empty()) path_ += '/';
    path_ += name;
    const auto status = sys::fstatat(here_.get(), name);
    if (!status)
      return status.error().sys_errno == ENOENT ? Result<>() : visitor_.closed(path_, status.error());
    ASSIGN_OR_RETURN(const Next next, visitor_.enter({.parent = here_.get(),
                                                      .name = name,
                                                      .path = path_,
                                                      .depth = levels_.size(),
                                                      .status = *status}));
    stopped_ = next == Next::kStop;
    if (next != Next::kGoIn || !S_ISDIR(status->st_mode)) return {};
    return sink(name);
  }

  Result<> sink(const std::string& name) {
    auto below = sys::openat(here_.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    // One that may be read but not searched has no way back up.
    auto way_back = below ? sys::openat(below->get(), "..", O_PATH) : Result<sys::UniqueFd>();
    if (!below || !way_back) {
      const base::Error& error = below ? way_back.error() : below.error();
      if (error.sys_errno == ENOENT) return {};
      return visitor_.closed(path_, base::failed_call("open(" + path_ + ")", error.sys_errno).error());
    }
    here_ = *std::move(below);
    return push(name);
  }

  Result<> rise() {
    Level done = std::move(levels_.back());
    levels_.pop_back();
    if (levels_.empty()) return {};
    ASSIGN_OR_RETURN(auto above, sys::openat(here_.get(), "..", O_RDONLY | O_DIRECTORY));
    ASSIGN_OR_RETURN(const auto status, sys::fstat(above.get()));
    path_.resize(done.path_size);
    const auto& expected = levels_.back().status;
    if (status.st_ino != expected.st_ino || status.st_dev != expected.st_dev) {
      return base::fail(base::Code::kConflict, path_ + " was moved meanwhile; call again");
    }
    here_ = std::move(above);
    return visitor_.leave({.parent = here_.get(),
                           .name = done.name,
                           .path = path_,
                           .depth = levels_.size(),
                           .status = done.status});
  }

  Visitor& visitor_;
  sys::UniqueFd here_;
  std::string path_;
  std::vector<Level> levels_;
  bool stopped_ = false;
};

}  // namespace

void Visitor::sort(int, std::vector<std::string>& names) { std::ranges::sort(names, std::greater<>()); }

Result<> walk_tree(int top, Visitor& visitor) { return Walker(visitor).run(top); }

}  // namespace files
