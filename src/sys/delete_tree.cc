#include "sys/delete_tree.h"

#include <linux/openat2.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "sys/directory.h"

namespace sys {

namespace {

// Deep trees are flattened instead of descended: a directory's subdirectories move up to the top before the
// directory goes, so each directory is opened once, right below the top.
class Flattener {
 public:
  explicit Flattener(int top) : top_(top) {}

  Result<> run() {
    while (true) {
      ASSIGN_OR_RETURN(const auto names, entries_at(top_));
      if (names.empty()) return {};
      for (const auto& name : names) RETURN_IF_ERROR(remove(name));
    }
  }

 private:
  Result<> remove(const std::string& name) {
    if (unlink(top_, name)) return {};
    auto directory = openat2(top_, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
                             RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    if (!directory && directory.error().sys_errno == ENOENT) return {};
    if (!directory) return std::unexpected(std::move(directory).error());
    ASSIGN_OR_RETURN(const auto children, entries_at(directory->get()));
    for (const auto& child : children) {
      if (!unlink(directory->get(), child)) RETURN_IF_ERROR(lift(directory->get(), child));
    }
    const auto gone = unlinkat(top_, name, AT_REMOVEDIR);
    // Not empty: somebody still writes into it; the next round sees it again.
    if (gone || gone.error().sys_errno == ENOENT || gone.error().sys_errno == ENOTEMPTY) return {};
    return std::unexpected(gone.error());
  }

  // False: it is a directory with something in it.
  static bool unlink(int directory, const std::string& name) {
    if (::unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) return true;
    return ::unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT;
  }

  Result<> lift(int from, const std::string& name) {
    while (true) {
      const auto to = "lifted." + std::to_string(counter_++);
      if (::renameat2(from, name.c_str(), top_, to.c_str(), RENAME_NOREPLACE) == 0) return {};
      if (errno == ENOENT) return {};
      if (errno != EEXIST) return base::failed_call("rename(…, " + to + ")");
    }
  }

  const int top_;
  std::uint64_t counter_ = 0;
};

}  // namespace

Result<> empty_directory(int directory) { return Flattener(directory).run(); }

Result<> delete_tree(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  auto top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!top && top.error().sys_errno == ENOENT) return {};
  if (!top) return std::unexpected(std::move(top).error());
  RETURN_IF_ERROR(empty_directory(top->get()));
  auto gone = unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
  if (!gone && gone.error().sys_errno != ENOENT) return gone;
  return {};
}

}  // namespace sys
