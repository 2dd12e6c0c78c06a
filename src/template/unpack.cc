#include "template/unpack.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "sys/file.h"

namespace templates {

namespace {

// Unpacker::add puts the member's name in front.
std::unexpected<base::Error> refused(std::string_view why) {
  return base::fail(base::Code::kInvalid, std::string(why));
}

Result<Owner> owner_of(archive_entry* entry) {
  const la_int64_t uid = ::archive_entry_uid(entry);
  const la_int64_t gid = ::archive_entry_gid(entry);
  if (uid < 0 || gid < 0 || uid > kMaxId || gid > kMaxId) {
    return refused("its owner is outside 0 to 65535");
  }
  return Owner{static_cast<uid_t>(uid), static_cast<gid_t>(gid)};
}

mode_t mode_of(archive_entry* entry) { return ::archive_entry_perm(entry) & 07777; }

// O_EXCL, mkdir, symlink and link all say EEXIST for a path that came before.
std::unexpected<base::Error> creation_failed(const base::Error& error) {
  if (error.sys_errno == EEXIST) return refused("appears twice");
  return std::unexpected(error);
}

Result<> set_time(archive_entry* entry, int fd) {
  const timespec time{.tv_sec = ::archive_entry_mtime(entry), .tv_nsec = ::archive_entry_mtime_nsec(entry)};
  const std::array<timespec, 2> times = {time, time};
  if (::futimens(fd, times.data()) != 0) return base::failed_call("futimens");
  return {};
}

}  // namespace

Result<std::string> tree_path_of(const char* member) {
  std::string_view path = member != nullptr ? member : "";
  // Directories end with a slash in an archive.
  if (path.ends_with('/')) path.remove_suffix(1);
  RETURN_IF_ERROR(check_tree_path(path));
  if (path == kArchiveRoot) return std::string();
  const auto prefix = std::string(kArchiveRoot) + "/";
  if (!path.starts_with(prefix)) {
    return refused("path " + printable(path) + ": not below root/");
  }
  path.remove_prefix(prefix.size());
  RETURN_IF_ERROR(check_tree_path(path));
  return std::string(path);
}

Unpacker::Unpacker(archive* reader, const Tree& tree, const Meta& announced)
    : reader_(reader), tree_(tree), announced_(announced) {}

Result<> Unpacker::add(archive_entry* entry) {
  auto added = add_member(entry);
  if (added) return {};
  const char* name = ::archive_entry_pathname(entry);
  const auto member = "archive member " + printable(name != nullptr ? name : "(unnamed)");
  return std::unexpected(base::with_context(member, std::move(added).error()));
}

Result<> Unpacker::add_member(archive_entry* entry) {
  if (++entries_ > announced_.entries) return refused("more members than announced");
  ASSIGN_OR_RETURN(const auto path, tree_path_of(::archive_entry_pathname(entry)));
  if (path.empty()) return add_root(entry);
  if (entries_ == 1) return refused("the first member of the tree must be its root");
  const auto place = tree_.place_of(path);
  if (!place) return refused("its directory has not come before, or is a link");
  if (::archive_entry_sparse_count(entry) > 0) return refused("sparse files are not taken");
  if (::archive_entry_hardlink(entry) != nullptr) return add_hardlink(entry, *place);
  switch (::archive_entry_filetype(entry)) {
    case AE_IFDIR:
      return add_directory(entry, *place);
    case AE_IFREG:
      return add_file(entry, *place);
    case AE_IFLNK:
      return add_symlink(entry, *place);
    default:
      return refused("devices, pipes and sockets cannot be in a template");
  }
}

Result<> Unpacker::add_root(archive_entry* entry) {
  if (entries_ != 1) return refused("appears twice");
  if (::archive_entry_filetype(entry) != AE_IFDIR || ::archive_entry_hardlink(entry) != nullptr) {
    return refused("must be a directory");
  }
  ASSIGN_OR_RETURN(const auto owner, owner_of(entry));
  RETURN_IF_ERROR(sys::fchownat(tree_.root(), "", owner.uid, owner.gid));
  return sys::fchmod(tree_.root(), mode_of(entry));
}

Result<> Unpacker::add_directory(archive_entry* entry, const Place& place) {
  ASSIGN_OR_RETURN(const auto owner, owner_of(entry));
  const auto made = sys::mkdirat(place.directory.get(), place.name, 0700);
  if (!made) return creation_failed(made.error());
  ASSIGN_OR_RETURN(const auto fd,
                   sys::openat(place.directory.get(), place.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  RETURN_IF_ERROR(sys::fchownat(fd.get(), "", owner.uid, owner.gid));
  return sys::fchmod(fd.get(), mode_of(entry));
}

Result<> Unpacker::add_file(archive_entry* entry, const Place& place) {
  ASSIGN_OR_RETURN(const auto owner, owner_of(entry));
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  const auto fd = sys::openat(place.directory.get(), place.name, kNew, 0600);
  if (!fd) return creation_failed(fd.error());
  RETURN_IF_ERROR(copy_content(entry, fd->get()));
  RETURN_IF_ERROR(sys::fchownat(fd->get(), "", owner.uid, owner.gid));
  RETURN_IF_ERROR(sys::fchmod(fd->get(), mode_of(entry)));
  return set_time(entry, fd->get());
}

Result<> Unpacker::copy_content(archive_entry* entry, int fd) {
  const la_int64_t size = ::archive_entry_size(entry);
  if (size < 0 || static_cast<std::uint64_t>(size) > announced_.bytes - bytes_) {
    return refused("more bytes than announced");
  }
  bytes_ += static_cast<std::uint64_t>(size);
  std::array<char, 65536> buffer{};
  la_int64_t copied = 0;
  while (true) {
    const la_ssize_t n = ::archive_read_data(reader_, buffer.data(), buffer.size());
    if (n < 0) return archive_failure("read archive", reader_);
    copied += n;
    if (copied > size || (n == 0 && copied < size)) return refused("its size is not the stated one");
    if (n == 0) return {};
    RETURN_IF_ERROR(sys::write_all(fd, {buffer.data(), static_cast<std::size_t>(n)}));
  }
}

Result<> Unpacker::add_symlink(archive_entry* entry, const Place& place) {
  ASSIGN_OR_RETURN(const auto owner, owner_of(entry));
  const char* target = ::archive_entry_symlink(entry);
  const std::string text = target != nullptr ? target : "";
  if (text.empty() || text.size() > kMaxPathBytes) return refused("a link without a sane target");
  const auto made = sys::symlinkat(text, place.directory.get(), place.name);
  if (!made) return creation_failed(made.error());
  return sys::fchownat(place.directory.get(), place.name, owner.uid, owner.gid);
}

Result<> Unpacker::add_hardlink(archive_entry* entry, const Place& place) {
  if (::archive_entry_size(entry) != 0) return refused("a hard link with content");
  ASSIGN_OR_RETURN(const auto target, tree_path_of(::archive_entry_hardlink(entry)));
  if (target.empty()) return refused("a hard link to a directory");
  // Everything below the tree's root was unpacked by us, and the kernel keeps the lookup below it.
  const auto file = tree_.open_at(target, O_PATH);
  if (!file) return refused("its target has not come before");
  ASSIGN_OR_RETURN(const auto status, sys::fstat(file->get()));
  if (!S_ISREG(status.st_mode)) return refused("its target is not a regular file");
  if (::linkat(file->get(), "", place.directory.get(), place.name.c_str(), AT_EMPTY_PATH) != 0) {
    return creation_failed(base::failed_call("link").error());
  }
  return {};
}

}  // namespace templates
