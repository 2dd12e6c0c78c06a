#include "sys/file.h"

#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "sys/retry.h"

namespace sys {

using base::failed_call;

Result<UniqueFd> open(const std::string& path, int flags, mode_t mode) {
  return openat(AT_FDCWD, path, flags, mode);
}

Result<UniqueFd> openat(int dir, const std::string& path, int flags, mode_t mode) {
  const int fd = retry([&] { return ::openat(dir, path.c_str(), flags | O_CLOEXEC, mode); });
  if (fd < 0) return failed_call("open(" + path + ")");
  return UniqueFd(fd);
}

Result<UniqueFd> openat2(int dir, const std::string& path, int flags, std::uint64_t resolve) {
  open_how how{.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC), .mode = 0, .resolve = resolve};
  const long fd = retry([&] { return ::syscall(SYS_openat2, dir, path.c_str(), &how, sizeof how); });
  if (fd < 0) return failed_call("openat2(" + path + ")");
  return UniqueFd(static_cast<int>(fd));
}

Result<> mkdirat(int dir, const std::string& path, mode_t mode) {
  if (::mkdirat(dir, path.c_str(), mode) != 0) return failed_call("mkdir(" + path + ")");
  return {};
}

Result<> mkdir_if_missing(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) return failed_call("mkdir(" + path + ")");
  return {};
}

Result<> unlinkat(int dir, const std::string& path, int flags) {
  if (::unlinkat(dir, path.c_str(), flags) != 0) return failed_call("unlink(" + path + ")");
  return {};
}

Result<> renameat(int from_dir, const std::string& from, int to_dir, const std::string& to) {
  if (::renameat(from_dir, from.c_str(), to_dir, to.c_str()) != 0) {
    return failed_call("rename(" + from + ", " + to + ")");
  }
  return {};
}

Result<> symlinkat(const std::string& target, int dir, const std::string& path) {
  if (::symlinkat(target.c_str(), dir, path.c_str()) != 0) return failed_call("symlink(" + path + ")");
  return {};
}

Result<> mknodat(int dir, const std::string& path, mode_t mode, dev_t device) {
  if (::mknodat(dir, path.c_str(), mode, device) != 0) return failed_call("mknod(" + path + ")");
  return {};
}

Result<> fchownat(int dir, const std::string& path, uid_t uid, gid_t gid) {
  if (::fchownat(dir, path.c_str(), uid, gid, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0) {
    return failed_call("chown(" + path + ")");
  }
  return {};
}

Result<> fchmod(int fd, mode_t mode) {
  if (::fchmod(fd, mode) != 0) return failed_call("fchmod");
  return {};
}

Result<struct stat> fstat(int fd) {
  struct stat st{};
  if (::fstat(fd, &st) != 0) return failed_call("fstat");
  return st;
}

Result<struct stat> fstatat(int dir, const std::string& path, int flags) {
  struct stat st{};
  if (::fstatat(dir, path.c_str(), &st, flags) != 0) return failed_call("stat(" + path + ")");
  return st;
}

Result<std::string> readlinkat(int dir, const std::string& path) {
  std::array<char, 4096> buffer{};
  const ssize_t n = ::readlinkat(dir, path.c_str(), buffer.data(), buffer.size());
  if (n < 0) return failed_call("readlink(" + path + ")");
  return std::string(buffer.data(), static_cast<std::size_t>(n));
}

Result<FreeSpace> free_space(const std::string& path) {
  struct statvfs st{};
  if (::statvfs(path.c_str(), &st) != 0) return failed_call("statvfs(" + path + ")");
  return FreeSpace{.bytes = st.f_bavail * st.f_frsize, .inodes = st.f_favail};
}

Result<> write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = retry([&] { return ::write(fd, data.data(), data.size()); });
    if (n < 0) return failed_call("write");
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<std::string> read_all(int fd, std::size_t limit) {
  std::string out;
  std::array<char, 16384> buffer{};
  while (true) {
    const ssize_t n = retry([&] { return ::read(fd, buffer.data(), buffer.size()); });
    if (n < 0) return failed_call("read");
    if (n == 0) return out;
    if (out.size() + static_cast<std::size_t>(n) > limit) {
      return base::fail(base::Code::kInvalid, "file is larger than " + std::to_string(limit) + " bytes");
    }
    out.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

Result<std::string> pread_text(int fd, std::size_t limit) {
  std::string out(limit, '\0');
  const ssize_t n = retry([&] { return ::pread(fd, out.data(), out.size(), 0); });
  if (n < 0) return failed_call("pread");
  out.resize(static_cast<std::size_t>(n));
  return out;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  return read_file_at(AT_FDCWD, path, limit);
}

Result<std::string> read_file_at(int dir, const std::string& path, std::size_t limit) {
  ASSIGN_OR_RETURN(const auto fd, openat(dir, path, O_RDONLY));
  auto text = read_all(fd.get(), limit);
  if (!text) return std::unexpected(base::with_context(path, std::move(text).error()));
  return text;
}

Result<> write_existing(const std::string& path, std::string_view data) {
  return write_existing_at(AT_FDCWD, path, data);
}

Result<> write_existing_at(int dir, const std::string& path, std::string_view data) {
  ASSIGN_OR_RETURN(const auto fd, openat(dir, path, O_WRONLY | O_NOFOLLOW));
  const ssize_t n = retry([&] { return ::write(fd.get(), data.data(), data.size()); });
  if (n != static_cast<ssize_t>(data.size())) {
    return failed_call("write(" + path + ", " + std::string(data) + ")");
  }
  return {};
}

Result<> create_file_at(int dir, const std::string& path, std::string_view data, mode_t mode) {
  ASSIGN_OR_RETURN(const auto fd, openat(dir, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
  return write_all(fd.get(), data);
}

Result<UniqueFd> sealed_memfd(const char* name, std::string_view bytes, mode_t mode) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return failed_call("memfd_create");
  RETURN_IF_ERROR(write_all(fd.get(), bytes));
  // Whoever gets it reads it from its beginning.
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) return failed_call("lseek");
  RETURN_IF_ERROR(fchmod(fd.get(), mode));
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  // EBUSY: the kernel still holds a page of it for a moment (compaction, writeback of another mapping).
  for (int tries = 0; ::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0; ++tries) {
    if (errno != EBUSY || tries == 100) return failed_call("fcntl(F_ADD_SEALS)");
    ::usleep(1000);
  }
  return fd;
}

Result<UniqueFd> flock_exclusive(const std::string& path) {
  ASSIGN_OR_RETURN(auto fd, open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno == EWOULDBLOCK) return base::fail(base::Code::kConflict, path + " is locked by another process");
  return failed_call("flock(" + path + ")");
}

}  // namespace sys
