// sys: typed Linux calls and the owners of what they return. A wrapper has the kernel's name, typed
// arguments, EINTR handled and a Result whose message is built from the call; it has no policy and never
// logs. Raw system calls, fork and clone appear here and nowhere else.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "sys/fd.h"

namespace sys {

using base::Result;

// O_CLOEXEC is always added.
Result<UniqueFd> open(const std::string& path, int flags, mode_t mode = 0);
Result<UniqueFd> openat(int dir, const std::string& path, int flags, mode_t mode = 0);
// openat2 with RESOLVE_* flags; for paths that somebody else may have shaped.
Result<UniqueFd> openat2(int dir, const std::string& path, int flags, std::uint64_t resolve);

Result<> mkdirat(int dir, const std::string& path, mode_t mode);
Result<> mkdir_if_missing(const std::string& path, mode_t mode);
Result<> unlinkat(int dir, const std::string& path, int flags = 0);
Result<> renameat(int from_dir, const std::string& from, int to_dir, const std::string& to);
Result<> symlinkat(const std::string& target, int dir, const std::string& path);
Result<> mknodat(int dir, const std::string& path, mode_t mode, dev_t device);
Result<> fchownat(int dir, const std::string& path, uid_t uid, gid_t gid);
Result<> fchmod(int fd, mode_t mode);
Result<struct stat> fstat(int fd);
Result<struct stat> fstatat(int dir, const std::string& path, int flags = AT_SYMLINK_NOFOLLOW);
Result<std::string> readlinkat(int dir, const std::string& path);

// A file system's free space and inodes, as the calling user sees them.
struct FreeSpace {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
};
Result<FreeSpace> free_space(const std::string& path);

// Writes everything, retrying short writes.
Result<> write_all(int fd, std::string_view data);
// Reads to the end, at most `limit` bytes; more is an error.
Result<std::string> read_all(int fd, std::size_t limit = 1 << 20);
// Reads a small pseudo-file from its beginning (cgroup and proc files are re-read through a kept descriptor).
Result<std::string> pread_text(int fd, std::size_t limit = 4096);

Result<std::string> read_file(const std::string& path, std::size_t limit = 1 << 20);
Result<std::string> read_file_at(int dir, const std::string& path, std::size_t limit = 1 << 20);
// One write(2) to an existing file: what cgroup and proc files want.
Result<> write_existing(const std::string& path, std::string_view data);
Result<> write_existing_at(int dir, const std::string& path, std::string_view data);
// Creates a new file with these bytes; fails when it exists.
Result<> create_file_at(int dir, const std::string& path, std::string_view data, mode_t mode = 0644);

// A memfd with these bytes that nobody can change any more. `mode` 0111 makes a program run from it
// non-dumpable.
Result<UniqueFd> sealed_memfd(const char* name, std::string_view bytes, mode_t mode);

Result<UniqueFd> flock_exclusive(const std::string& path);  // kConflict when somebody else holds it

}  // namespace sys
