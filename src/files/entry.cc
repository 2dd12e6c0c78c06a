#include "files/entry.h"

namespace files {

namespace {

using wire::file::Kind;

Kind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return Kind::kDirectory;
    case S_IFLNK:
      return Kind::kSymlink;
    case S_IFIFO:
      return Kind::kFifo;
    case S_IFSOCK:
      return Kind::kSocket;
    case S_IFCHR:
      return Kind::kCharacterDevice;
    case S_IFBLK:
      return Kind::kBlockDevice;
    default:
      return Kind::kFile;
  }
}

}  // namespace

Result<wire::file::Entry> entry_of(int directory, const std::string& name, const struct stat& status) {
  wire::file::Entry entry{.path = name,
                          .kind = kind_of(status.st_mode),
                          .mode = status.st_mode & 07777,
                          .uid = status.st_uid,
                          .gid = status.st_gid,
                          .links = static_cast<std::uint32_t>(status.st_nlink),
                          .size = static_cast<std::uint64_t>(status.st_size),
                          .inode = status.st_ino,
                          .modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
  if (entry.kind == Kind::kSymlink) {
    ASSIGN_OR_RETURN(entry.target, sys::readlinkat(directory, name));
  }
  return entry;
}

Result<wire::file::Entry> entry_of(const Place& place) {
  return entry_of(place.parent.get(), place.name, *place.status);
}

}  // namespace files
