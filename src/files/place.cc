#include "files/place.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <cerrno>

#include "sys/retry.h"

namespace files {

namespace {

using base::Code;

constexpr int kMostLinks = 40;  // the kernel's own number
constexpr ino_t kProcRootInode = 1;

Result<long> file_system_of(int fd) {
  struct statfs fs{};
  if (sys::retry([&] { return ::fstatfs(fd, &fs); }) != 0) return base::failed_call("fstatfs");
  return static_cast<long>(fs.f_type);
}

class Walk {
 public:
  Walk(const std::string& path, Links links) : path_(path), links_(links) { push(path); }

  Result<Place> run() {
    ASSIGN_OR_RETURN(here_, open_directory("/"));
    while (!ahead_.empty()) {
      ASSIGN_OR_RETURN(auto place, step());
      if (place) return *std::move(place);
    }
    ASSIGN_OR_RETURN(const auto status, sys::fstat(here_.get()));
    return Place{.parent = std::move(here_), .name = ".", .status = status};
  }

 private:
  void push(std::string_view path) {
    auto parts = parts_of(path);
    while (!parts.empty()) {
      ahead_.push_back(std::move(parts.back()));
      parts.pop_back();
    }
  }

  Result<sys::UniqueFd> open_directory(const std::string& name) {
    const int dir = here_ ? here_.get() : AT_FDCWD;
    auto fd = sys::openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) return base::failed_call("open(" + path_ + ")", fd.error().sys_errno);
    return fd;
  }

  // The end of the way, or nothing when it goes on.
  Result<std::optional<Place>> step() {
    const std::string part = std::move(ahead_.back());
    ahead_.pop_back();
    const auto status = sys::fstatat(here_.get(), part);
    if (!status && (status.error().sys_errno != ENOENT || !ahead_.empty())) {
      return base::failed_call("stat(" + path_ + ")", status.error().sys_errno);
    }
    if (!status) return std::optional(Place{.parent = std::move(here_), .name = part, .status = {}});
    const bool is_link = S_ISLNK(status->st_mode);
    if (is_link && (!ahead_.empty() || links_ == Links::kFollow)) {
      RETURN_IF_ERROR(follow(part));
      return std::optional<Place>();
    }
    if (ahead_.empty() && part != "..") {
      return std::optional(Place{.parent = std::move(here_), .name = part, .status = *status});
    }
    ASSIGN_OR_RETURN(here_, open_directory(part));
    return std::optional<Place>();
  }

  Result<> follow(const std::string& link) {
    RETURN_IF_ERROR(refuse_magic());
    if (++followed_ > kMostLinks) return base::failed_call("open(" + path_ + ")", ELOOP);
    ASSIGN_OR_RETURN(const auto target, sys::readlinkat(here_.get(), link));
    if (target.starts_with('/')) {
      here_.reset();
      ASSIGN_OR_RETURN(here_, open_directory("/"));
    }
    push(target);
    return {};
  }

  // The links right below the root of procfs (self, mounts, net) are ordinary ones.
  Result<> refuse_magic() {
    ASSIGN_OR_RETURN(const long type, file_system_of(here_.get()));
    if (type != PROC_SUPER_MAGIC) return {};
    ASSIGN_OR_RETURN(const auto status, sys::fstat(here_.get()));
    if (status.st_ino == kProcRootInode) return {};
    return base::fail(Code::kDenied,
                      path_ + " goes through a link of /proc into a process; name the file itself");
  }

  const std::string& path_;
  const Links links_;
  sys::UniqueFd here_;
  std::vector<std::string> ahead_;  // the next one last
  int followed_ = 0;
};

}  // namespace

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const auto slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return parts;
}

Result<Place> resolve(const std::string& path, Links links) { return Walk(path, links).run(); }

Result<Place> resolve_existing(const std::string& path, Links links) {
  ASSIGN_OR_RETURN(auto place, resolve(path, links));
  if (!place.status) return base::failed_call("stat(" + path + ")", ENOENT);
  return place;
}

std::string_view name_of_kind(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "a regular file";
    case S_IFDIR:
      return "a directory";
    case S_IFLNK:
      return "a symbolic link";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

Result<sys::UniqueFd> open_regular(const Place& place, const std::string& path, int flags) {
  const auto refuse = [&](mode_t mode) {
    return base::fail(Code::kConflict,
                      path + " is " + std::string(name_of_kind(mode)) + ", not a regular file");
  };
  // Looked at before it is opened, because opening alone wakes who waits at a FIFO's other end.
  if (place.status && !S_ISREG(place.status->st_mode)) return refuse(place.status->st_mode);
  if (path.ends_with('/')) return refuse(S_IFDIR);
  auto file = sys::openat(place.parent.get(), place.name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
  if (!file) return base::failed_call("open(" + path + ")", file.error().sys_errno);
  ASSIGN_OR_RETURN(const auto status, sys::fstat(file->get()));
  if (!S_ISREG(status.st_mode)) return refuse(status.st_mode);
  return file;
}

Result<bool> is_made_up(int fd) {
  ASSIGN_OR_RETURN(const long type, file_system_of(fd));
  return type == PROC_SUPER_MAGIC || type == SYSFS_MAGIC || type == CGROUP_SUPER_MAGIC ||
         type == CGROUP2_SUPER_MAGIC;
}

}  // namespace files
