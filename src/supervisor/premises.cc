#include "supervisor/premises.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "sys/directory.h"
#include "sys/process.h"

namespace supervisor {

namespace {

using base::Code;

constexpr std::chrono::seconds kPredecessor{15};
constexpr int kLookMilliseconds = 20;

Result<sys::UniqueFd> open_directory(const std::string& path) {
  return sys::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

// Root's, and the user may go through it.
Result<> make_searchable(const std::string& path, const sys::SystemUser& user) {
  RETURN_IF_ERROR(sys::mkdir_if_missing(path, 0700));
  ASSIGN_OR_RETURN(const auto fd, open_directory(path));
  ASSIGN_OR_RETURN(const auto status, sys::fstat(fd.get()));
  const mode_t mode = status.st_mode & 07777U;
  const bool is_searchable = (mode & 0001U) != 0 || (status.st_gid == user.gid && (mode & 0010U) != 0);
  if (is_searchable) return {};
  if (status.st_uid != 0) {
    return base::fail(Code::kDenied, fmt::format("{} belongs to user {}: give it to root, or choose another",
                                                 path, status.st_uid));
  }
  RETURN_IF_ERROR(sys::fchownat(fd.get(), "", 0, user.gid));
  return sys::fchmod(fd.get(), (mode & ~0070U) | 0010U);
}

// What `cove key` has put there as root, before there was a server, is the server's from now on. Only while
// the directory is root's own: later the server could have put a link there to something that is not its.
Result<> give_entries(int directory, const sys::SystemUser& user) {
  ASSIGN_OR_RETURN(const auto names, sys::entries_at(directory));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const auto status, sys::fstatat(directory, name));
    if (!S_ISREG(status.st_mode) || status.st_nlink != 1) continue;
    RETURN_IF_ERROR(sys::fchownat(directory, name, user.uid, user.gid));
  }
  return {};
}

Result<> make_own(const std::string& path, const sys::SystemUser& user, mode_t mode) {
  RETURN_IF_ERROR(sys::mkdir_if_missing(path, 0700));
  ASSIGN_OR_RETURN(const auto fd, open_directory(path));
  ASSIGN_OR_RETURN(const auto status, sys::fstat(fd.get()));
  if (status.st_uid != 0 && status.st_uid != user.uid) {
    return base::fail(Code::kConflict,
                      fmt::format("{} belongs to user {}, and the server runs as {}: chown -R {} {}", path,
                                  status.st_uid, user.name, user.name, path));
  }
  if (status.st_uid == 0) RETURN_IF_ERROR(give_entries(fd.get(), user));
  RETURN_IF_ERROR(sys::fchownat(fd.get(), "", user.uid, user.gid));
  return sys::fchmod(fd.get(), mode);
}

// As the user itself sees it: a directory above may be closed to it.
Result<> check_reachable(const std::string& path, const sys::SystemUser& user) {
  ASSIGN_OR_RETURN(const auto child, sys::clone_process({}));
  if (child.is_child()) {
    const bool is_reachable = sys::set_ids(user.uid, user.gid) && ::access(path.c_str(), W_OK | X_OK) == 0;
    ::_exit(is_reachable ? 0 : 1);
  }
  ASSIGN_OR_RETURN(const auto status, sys::wait_pidfd(child.pidfd.get()));
  if (status.code == 0 && status.signal == 0) return {};
  return base::fail(
      Code::kDenied,
      fmt::format("user {} cannot reach {}: make each directory above it searchable (chmod o+x), or "
                  "choose another --state",
                  user.name, path));
}

struct flock whole_file() {
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return whole;
}

// A record lock is this process's alone: nobody inherits it.
Result<> be_the_only_one(int fd, const base::Paths& paths) {
  auto whole = whole_file();
  if (::fcntl(fd, F_SETLK, &whole) == 0) return {};
  if (errno != EAGAIN && errno != EACCES) return base::failed_call("fcntl(" + paths.serve_lock + ")");
  auto holder = whole_file();
  (void)::fcntl(fd, F_GETLK, &holder);
  return base::fail(
      Code::kConflict,
      fmt::format("another `cove serve` (pid {}) serves {}: stop it first, or give this one a --state "
                  "of its own",
                  holder.l_pid, paths.state));
}

// The other kind of lock, on the same file, lives as long as anybody has it open.
Result<> outwait_server(int fd, const base::Paths& paths) {
  const auto deadline = std::chrono::steady_clock::now() + kPredecessor;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return base::failed_call("flock(" + paths.serve_lock + ")");
    if (std::chrono::steady_clock::now() >= deadline) {
      return base::fail(Code::kConflict,
                        fmt::format("a server whose `cove serve` was killed still serves {}; it "
                                    "does not end by itself: end the process cove-server",
                                    paths.state));
    }
    (void)::poll(nullptr, 0, kLookMilliseconds);
  }
  return {};
}

}  // namespace

Result<sys::SystemUser> make_premises(const base::Paths& paths, const std::string& user_name) {
  ASSIGN_OR_RETURN(auto user, sys::find_or_make_user(user_name));
  if (user.uid == 0)
    return base::fail(Code::kInvalid, "the server has no privilege: server_user cannot be root");
  RETURN_IF_ERROR(make_searchable(paths.state, user));
  RETURN_IF_ERROR(make_own(paths.server, user, 0700));
  // Clients find the server's socket through it.
  RETURN_IF_ERROR(sys::mkdir_if_missing(paths.run, 0711));
  ASSIGN_OR_RETURN(const auto run, open_directory(paths.run));
  RETURN_IF_ERROR(sys::fchmod(run.get(), 0711));
  RETURN_IF_ERROR(make_searchable(paths.sandboxes, user));
  RETURN_IF_ERROR(make_own(paths.server_run, user, 0755));
  RETURN_IF_ERROR(check_reachable(paths.server, user));
  return user;
}

Result<ServeLock> ServeLock::take(const base::Paths& paths) {
  RETURN_IF_ERROR(sys::mkdir_if_missing(paths.run, 0711));
  ASSIGN_OR_RETURN(auto fd, sys::open(paths.serve_lock, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  RETURN_IF_ERROR(be_the_only_one(fd.get(), paths));
  RETURN_IF_ERROR(outwait_server(fd.get(), paths));
  return ServeLock(std::move(fd));
}

}  // namespace supervisor
