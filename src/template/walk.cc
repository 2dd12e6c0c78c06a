#include "template/walk.h"

#include <algorithm>
#include <map>
#include <vector>

#include "sys/file.h"
#include "template/names_in.h"

namespace templates {

namespace {

std::unexpected<base::Error> refused(const TreeEntry& entry, std::string_view why) {
  return base::fail(base::Code::kInvalid, "/" + printable(entry.path) + ": " + std::string(why));
}

struct OpenDirectory {
  sys::UniqueFd fd;
  std::string path;
  std::vector<std::string> names;  // in reverse order, the next one last
};

class Walker {
 public:
  explicit Walker(const Visit& visit) : visit_(visit) {}

  Result<> run(int root);

 private:
  Result<> next();
  Result<> look_at(TreeEntry& entry);
  Result<> enter(sys::UniqueFd fd, std::string path);

  const Visit& visit_;
  dev_t device_ = 0;
  std::uint64_t entries_ = 0;
  std::vector<OpenDirectory> stack_;
  std::map<ino_t, std::string> linked_;  // first path of each file that has several
};

Result<> Walker::run(int root) {
  TreeEntry entry{.parent = root};
  ASSIGN_OR_RETURN(entry.status, sys::fstat(root));
  device_ = entry.status.st_dev;
  RETURN_IF_ERROR(look_at(entry));
  RETURN_IF_ERROR(visit_(entry));
  ASSIGN_OR_RETURN(auto fd, sys::openat(root, ".", O_RDONLY | O_DIRECTORY));
  RETURN_IF_ERROR(enter(std::move(fd), ""));
  while (!stack_.empty()) RETURN_IF_ERROR(next());
  return {};
}

Result<> Walker::enter(sys::UniqueFd fd, std::string path) {
  ASSIGN_OR_RETURN(auto names, names_in(fd.get()));
  std::ranges::sort(names, std::greater<>());
  stack_.push_back({.fd = std::move(fd), .path = std::move(path), .names = std::move(names)});
  return {};
}

Result<> Walker::next() {
  auto& here = stack_.back();
  if (here.names.empty()) {
    stack_.pop_back();
    return {};
  }
  TreeEntry entry{.parent = here.fd.get(), .name = std::move(here.names.back())};
  here.names.pop_back();
  entry.path = here.path.empty() ? entry.name : here.path + "/" + entry.name;
  RETURN_IF_ERROR(check_tree_path(entry.path));
  ASSIGN_OR_RETURN(entry.status, sys::fstatat(entry.parent, entry.name));
  RETURN_IF_ERROR(look_at(entry));
  RETURN_IF_ERROR(visit_(entry));
  if (!S_ISDIR(entry.status.st_mode)) return {};
  ASSIGN_OR_RETURN(auto fd, sys::openat(entry.parent, entry.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return enter(std::move(fd), std::move(entry.path));
}

Result<> Walker::look_at(TreeEntry& entry) {
  const auto& status = entry.status;
  if (++entries_ > kMaxEntries) return refused(entry, "the tree has more than a million entries");
  if (status.st_dev != device_) return refused(entry, "is on another file system");
  if (status.st_uid > kMaxId || status.st_gid > kMaxId) return refused(entry, "its owner is above 65535");
  if (S_ISDIR(status.st_mode)) return {};
  if (S_ISLNK(status.st_mode)) {
    ASSIGN_OR_RETURN(entry.target, sys::readlinkat(entry.parent, entry.name));
    return {};
  }
  if (!S_ISREG(status.st_mode)) return refused(entry, "devices, pipes and sockets cannot be in a template");
  if (status.st_nlink > 1) {
    const auto [first, is_new] = linked_.emplace(status.st_ino, entry.path);
    if (!is_new) entry.same_file = first->second;
  }
  return {};
}

}  // namespace

Result<> walk_tree(int root, const Visit& visit) { return Walker(visit).run(root); }

}  // namespace templates
