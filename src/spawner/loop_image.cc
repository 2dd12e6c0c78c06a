#include "spawner/loop_image.h"

#include <unistd.h>

#include <algorithm>

#include "sys/delete_tree.h"
#include "sys/loop.h"
#include "sys/mount.h"
#include "sys/run_program.h"
#include "sys/space.h"

namespace spawner {

namespace {

// Half of what ext4 gives by default per inode: trees of small files (node_modules, site-packages) fit, and
// the inode table takes a thirty-second of the disk.
constexpr std::uint64_t kBytesPerInode = 8192;
constexpr std::uint64_t kFewestInodes = 128;
constexpr std::uint64_t kMostInodes = std::uint64_t{1} << 22;
// More than this takes longer to remove than a new disk takes to make.
constexpr std::uint64_t kFewInodes = 500;

// All features are named: what the host's mke2fs.conf says does not count. No journal: a disk never outlives
// the machine.
constexpr const char* kFeatures =
    "none,dir_index,dir_nlink,ext_attr,extent,extra_isize,filetype,flex_bg,huge_file,large_file,metadata_"
    "csum,"
    "sparse_super";

Result<std::string> find_mkfs() {
  for (const char* path : {"/usr/sbin/mkfs.ext4", "/sbin/mkfs.ext4", "/usr/bin/mkfs.ext4"}) {
    if (::access(path, X_OK) == 0) return std::string(path);
  }
  return base::fail(base::Code::kUnsupported, "mkfs.ext4 is missing: apt-get install e2fsprogs");
}

Result<sys::UniqueFd> nameless_file(const std::string& directory, std::uint64_t bytes) {
  ASSIGN_OR_RETURN(auto file, sys::open(directory, O_TMPFILE | O_RDWR, 0600));
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return base::failed_call("ftruncate");
  return file;
}

Result<sys::UniqueFd> mount_device(const std::string& path) {
  return sys::make_mount("ext4", {{"source", path}, {"errors", "remount-ro"}},
                         MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME);
}

}  // namespace

Result<sys::UniqueFd> make_golden_image(const std::string& directory, std::uint64_t bytes) {
  ASSIGN_OR_RETURN(const auto mkfs, find_mkfs());
  ASSIGN_OR_RETURN(auto image, nameless_file(directory, bytes));
  const auto inodes = std::clamp(bytes / kBytesPerInode, kFewestInodes, kMostInodes);
  RETURN_IF_ERROR(
      sys::run_program({mkfs, "-q", "-F", "-b", "4096", "-I", "256", "-N", std::to_string(inodes), "-m", "0",
                        "-O", kFeatures, "-E", "nodiscard,lazy_itable_init=1,assume_storage_prezeroed=1",
                        "/proc/self/fd/" + std::to_string(image.get())},
                       image.get()));
  return image;
}

Result<sys::UniqueFd> mount_copy(const std::string& directory, int golden, std::uint64_t bytes) {
  ASSIGN_OR_RETURN(const auto image, nameless_file(directory, bytes));
  if (auto reserved = sys::allocate(image.get(), bytes); !reserved) {
    return std::unexpected(
        base::with_context("no room for a disk in " + directory, std::move(reserved).error()));
  }
  RETURN_IF_ERROR(sys::copy_data(golden, image.get()));
  ASSIGN_OR_RETURN(const auto device, sys::attach_loop(image.get()));
  return mount_device(device.path);
}

Result<sys::UniqueFd> renew(int mount, std::uint64_t writes) {
  ASSIGN_OR_RETURN(const auto root, sys::openat(mount, ".", O_RDONLY | O_DIRECTORY));
  ASSIGN_OR_RETURN(const auto inodes, sys::used_inodes(root.get()));
  if (inodes > kFewInodes) return base::fail(base::Code::kExhausted, "too much to remove");
  RETURN_IF_ERROR(sys::empty_directory(root.get()));
  // Asked when nothing is left that could still be written.
  ASSIGN_OR_RETURN(const auto now, sys::device_writes(mount));
  if (now != writes) return base::fail(base::Code::kConflict, "its last user's data reached the device");
  ASSIGN_OR_RETURN(const auto path, sys::device_path(mount));
  return mount_device(path);
}

}  // namespace spawner
