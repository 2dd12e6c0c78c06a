#include "engine/known_tree.h"

#include "sys/directory.h"

namespace engine {

namespace {

using base::Code;
using wire::file::Entry;
using wire::file::Kind;

constexpr int kOnly = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

// What a template has besides these is nobody's home.
Result<Kind> kind_of(mode_t mode) {
  if (S_ISREG(mode)) return Kind::kFile;
  if (S_ISDIR(mode)) return Kind::kDirectory;
  if (S_ISLNK(mode)) return Kind::kSymlink;
  return base::fail(Code::kUnsupported, "neither file, directory nor link");
}

Result<Entry> entry_of(int directory, const std::string& name, std::string path) {
  ASSIGN_OR_RETURN(const auto status, sys::fstatat(directory, name));
  ASSIGN_OR_RETURN(const Kind kind, kind_of(status.st_mode));
  Entry entry{.path = std::move(path),
              .kind = kind,
              .mode = status.st_mode & 07777,
              .size = static_cast<std::uint64_t>(status.st_size),
              .inode = status.st_ino,
              .modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
  if (kind == Kind::kSymlink) {
    ASSIGN_OR_RETURN(entry.target, sys::readlinkat(directory, name));
  }
  return entry;
}

Result<sys::UniqueFd> open_below(const std::string& root, std::string_view path) {
  ASSIGN_OR_RETURN(auto at, sys::open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    const std::string part(path.substr(0, slash));
    if (!part.empty()) {
      ASSIGN_OR_RETURN(at, sys::openat(at.get(), part, kOnly));
    }
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return at;
}

}  // namespace

Result<Listing> list_known_tree(const std::string& root, const std::string& path) {
  ASSIGN_OR_RETURN(const auto top, open_below(root, path));
  Listing listing;
  std::vector<std::string> ahead{"."};  // directories that were not looked into yet
  while (!ahead.empty()) {
    const std::string where = std::move(ahead.back());
    ahead.pop_back();
    ASSIGN_OR_RETURN(const auto directory, sys::openat(top.get(), where, kOnly));
    ASSIGN_OR_RETURN(const auto names, sys::entries_at(directory.get()));
    for (const std::string& name : names) {
      const std::string below = where == "." ? name : where + "/" + name;
      ASSIGN_OR_RETURN(auto entry, entry_of(directory.get(), name, below));
      if (entry.kind == Kind::kDirectory) ahead.push_back(below);
      if (!is_noise(path + "/" + below)) listing.entries.push_back(std::move(entry));
      if (listing.entries.size() + ahead.size() > kMostRemembered) {
        return base::fail(Code::kExhausted, path + " holds more than is remembered");
      }
    }
  }
  put_in_order(listing);
  return listing;
}

}  // namespace engine
