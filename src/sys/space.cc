#include "sys/space.h"

#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "sys/retry.h"

namespace sys {

namespace {
// FS_IOC_SHUTDOWN, which the installed headers lack, and its flag for "do not even write the journal".
constexpr unsigned long kShutdown = _IOR('X', 125, std::uint32_t);
constexpr std::uint32_t kWithoutFlush = 2;

struct Extent {
  off_t begin = 0;
  off_t end = 0;
};

Result<std::optional<Extent>> next_data(int file, off_t from) {
  Extent extent;
  extent.begin = ::lseek(file, from, SEEK_DATA);
  if (extent.begin < 0 && errno == ENXIO) return std::optional<Extent>();
  if (extent.begin < 0) return base::failed_call("lseek(SEEK_DATA)");
  extent.end = ::lseek(file, extent.begin, SEEK_HOLE);
  if (extent.end < 0) return base::failed_call("lseek(SEEK_HOLE)");
  return std::optional(extent);
}

Result<> copy_extent(int from, int to, Extent extent) {
  std::array<std::byte, 65536> buffer;
  while (extent.begin < extent.end) {
    const auto want =
        std::min<std::size_t>(buffer.size(), static_cast<std::size_t>(extent.end - extent.begin));
    const ssize_t got = retry([&] { return ::pread(from, buffer.data(), want, extent.begin); });
    if (got < 0) return base::failed_call("pread");
    if (got == 0) return base::fail(base::Code::kInternal, "a file became shorter while it was copied");
    const ssize_t put =
        retry([&] { return ::pwrite(to, buffer.data(), static_cast<std::size_t>(got), extent.begin); });
    if (put <= 0) return base::failed_call("pwrite");
    extent.begin += put;
  }
  return {};
}
}  // namespace

Result<bool> is_in_memory(int directory) {
  struct statfs fs{};
  if (::fstatfs(directory, &fs) != 0) return base::failed_call("fstatfs");
  return fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC;
}

Result<> allocate(int file, std::uint64_t bytes) {
  const auto size = static_cast<off_t>(bytes);
  if (retry([&] { return ::fallocate(file, 0, 0, size); }) == 0) return {};
  return base::failed_call("fallocate(" + std::to_string(bytes) + ")");
}

Result<> copy_data(int from, int to) {
  off_t at = 0;
  while (true) {
    ASSIGN_OR_RETURN(const auto extent, next_data(from, at));
    if (!extent) return {};
    RETURN_IF_ERROR(copy_extent(from, to, *extent));
    at = extent->end;
  }
}

Result<std::uint64_t> used_inodes(int directory) {
  struct statvfs fs{};
  if (::fstatvfs(directory, &fs) != 0) return base::failed_call("fstatvfs");
  return fs.f_files - fs.f_ffree;
}

Result<> abandon_file_system(int directory) {
  std::uint32_t how = kWithoutFlush;
  if (::ioctl(directory, kShutdown, &how) == 0) return {};
  return base::failed_call("ioctl(FS_IOC_SHUTDOWN)");
}

}  // namespace sys
