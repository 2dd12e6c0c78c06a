#include "template/layout.h"

#include <linux/openat2.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "template/names_in.h"

namespace templates {

namespace {

enum class Kept { kContent, kNothing };  // kNothing: a sandbox mounts over it, so it is empty here
enum class Whose { kRoot, kUser };

struct FixedDirectory {
  std::string_view path;
  mode_t mode;
  Kept kept;
  Whose whose;
};

constexpr std::array kDirectories = {
    FixedDirectory{"dev", 0755, Kept::kNothing, Whose::kRoot},
    FixedDirectory{"proc", 0755, Kept::kNothing, Whose::kRoot},
    FixedDirectory{"sys", 0755, Kept::kNothing, Whose::kRoot},
    FixedDirectory{"tmp", 01777, Kept::kNothing, Whose::kRoot},
    FixedDirectory{"run", 0755, Kept::kNothing, Whose::kRoot},
    FixedDirectory{"workspace", 0755, Kept::kNothing, Whose::kUser},
    FixedDirectory{"etc", 0755, Kept::kContent, Whose::kRoot},
    FixedDirectory{"usr", 0755, Kept::kContent, Whose::kRoot},
    FixedDirectory{"var", 0755, Kept::kContent, Whose::kRoot},
    FixedDirectory{"var/tmp", 01777, Kept::kNothing, Whose::kRoot},
    FixedDirectory{"home", 0755, Kept::kContent, Whose::kRoot},
    FixedDirectory{"root", 0700, Kept::kContent, Whose::kRoot},
};

struct FixedFile {
  std::string_view path;
  std::string_view content;
};

// A sandbox may bind its own over each. The machine id is empty: equal ids would link sandboxes together.
constexpr std::array kFiles = {
    FixedFile{"etc/hostname", "sandbox\n"},
    FixedFile{"etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost ip6-loopback\n"},
    FixedFile{"etc/resolv.conf", "nameserver 127.0.0.1\n"},
    FixedFile{"etc/machine-id", ""},
};

std::unexpected<base::Error> wrong(std::string_view path, std::string_view what) {
  return base::fail(base::Code::kInvalid, "/" + std::string(path) + ": " + std::string(what));
}

// A link or a file where a directory belongs is replaced; a directory is kept.
Result<> make_directory(const Tree& tree, const FixedDirectory& wanted, Owner user) {
  const auto there = tree.open_at(wanted.path, O_PATH | O_DIRECTORY);
  if (!there && there.error().sys_errno != ENOENT) RETURN_IF_ERROR(tree.remove(wanted.path));
  if (wanted.kept == Kept::kNothing) RETURN_IF_ERROR(tree.empty(wanted.path));
  return tree.make_directory(wanted.path, wanted.mode, wanted.whose == Whose::kUser ? user : Owner{});
}

Result<> check_directory(const Tree& tree, const FixedDirectory& wanted) {
  const auto fd = tree.open_at(wanted.path, O_RDONLY | O_DIRECTORY);
  if (!fd) return wrong(wanted.path, "must be a directory and not a link");
  ASSIGN_OR_RETURN(const auto status, sys::fstat(fd->get()));
  if ((status.st_mode & 07777) != wanted.mode) return wrong(wanted.path, "has unexpected permissions");
  if (wanted.whose == Whose::kRoot && (status.st_uid != 0 || status.st_gid != 0)) {
    return wrong(wanted.path, "must belong to root");
  }
  if (wanted.kept == Kept::kContent) return {};
  ASSIGN_OR_RETURN(const auto names, names_in(fd->get()));
  if (!names.empty()) return wrong(wanted.path, "must be empty");
  return {};
}

Result<> check_file(const Tree& tree, std::string_view path) {
  const auto fd = tree.open_at(path, O_PATH);
  if (!fd) return wrong(path, "must be a file and not a link");
  ASSIGN_OR_RETURN(const auto status, sys::fstat(fd->get()));
  if (!S_ISREG(status.st_mode)) return wrong(path, "must be a file");
  if (status.st_uid != 0 || (status.st_mode & 0022) != 0) return wrong(path, "must be writable by root only");
  return {};
}

}  // namespace

Result<> make_layout(const Tree& tree, Owner user) {
  for (const auto& directory : kDirectories) RETURN_IF_ERROR(make_directory(tree, directory, user));
  for (const auto& file : kFiles) RETURN_IF_ERROR(tree.write_file(file.path, {.content = file.content}));
  RETURN_IF_ERROR(tree.remove("var/lib/dbus/machine-id"));
  RETURN_IF_ERROR(sys::fchownat(tree.root(), "", 0, 0));
  return sys::fchmod(tree.root(), 0755);
}

Result<> check_layout(const Tree& tree) {
  ASSIGN_OR_RETURN(const auto top, sys::fstat(tree.root()));
  if (top.st_uid != 0 || (top.st_mode & 07777) != 0755) return wrong("", "must belong to root, mode 0755");
  for (const auto& directory : kDirectories) RETURN_IF_ERROR(check_directory(tree, directory));
  for (const auto& file : kFiles) RETURN_IF_ERROR(check_file(tree, file.path));
  for (const auto* path : {"etc/passwd", "etc/group"}) RETURN_IF_ERROR(check_file(tree, path));
  return {};
}

}  // namespace templates
