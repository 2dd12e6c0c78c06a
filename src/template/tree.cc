#include "template/tree.h"

#include <linux/openat2.h>
#include <unistd.h>

#include <cerrno>

#include "template/delete_tree.h"

namespace templates {

namespace {
constexpr std::uint64_t kInsideOnly =
    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;

bool is_missing(const base::Error& error) { return error.sys_errno == ENOENT; }

// Owner before mode: a change of owner clears mode bits.
Result<> set_attributes(int fd, mode_t mode, Owner owner) {
  RETURN_IF_ERROR(sys::fchownat(fd, "", owner.uid, owner.gid));
  return sys::fchmod(fd, mode);
}
}  // namespace

Result<Tree> Tree::open(const std::string& root) {
  ASSIGN_OR_RETURN(auto fd, sys::open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return Tree(std::move(fd));
}

Result<sys::UniqueFd> Tree::open_at(std::string_view path, int flags) const {
  RETURN_IF_ERROR(check_tree_path(path));
  return sys::openat2(root_.get(), std::string(path), flags | O_NOFOLLOW, kInsideOnly);
}

Result<Place> Tree::place_of(std::string_view path) const {
  RETURN_IF_ERROR(check_tree_path(path));
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    ASSIGN_OR_RETURN(auto top, sys::openat(root_.get(), ".", O_PATH | O_DIRECTORY));
    return Place{std::move(top), std::string(path)};
  }
  ASSIGN_OR_RETURN(auto parent, open_at(path.substr(0, slash), O_PATH | O_DIRECTORY));
  return Place{std::move(parent), std::string(path.substr(slash + 1))};
}

Result<> Tree::make_directory(std::string_view path, mode_t mode, Owner owner) const {
  ASSIGN_OR_RETURN(const auto place, place_of(path));
  const auto made = sys::mkdirat(place.directory.get(), place.name, 0700);
  if (!made && made.error().sys_errno != EEXIST) return std::unexpected(made.error());
  ASSIGN_OR_RETURN(const auto fd, open_at(path, O_RDONLY | O_DIRECTORY));
  return set_attributes(fd.get(), mode, owner);
}

Result<> Tree::make_parents(std::string_view path, Owner owner) const {
  for (auto slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    const auto parent = path.substr(0, slash);
    const auto there = open_at(parent, O_PATH | O_DIRECTORY);
    if (there) continue;
    if (!is_missing(there.error())) return std::unexpected(there.error());
    RETURN_IF_ERROR(make_directory(parent, 0755, owner));
  }
  return {};
}

Result<> Tree::write_file(std::string_view path, const NewFile& file) const {
  ASSIGN_OR_RETURN(const auto place, place_of(path));
  const auto gone = sys::unlinkat(place.directory.get(), place.name);
  if (!gone && !is_missing(gone.error())) return std::unexpected(gone.error());
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  ASSIGN_OR_RETURN(const auto fd, sys::openat(place.directory.get(), place.name, kNew, 0600));
  RETURN_IF_ERROR(sys::write_all(fd.get(), file.content));
  return set_attributes(fd.get(), file.mode, file.owner);
}

Result<std::string> Tree::read_file(std::string_view path, std::size_t limit) const {
  ASSIGN_OR_RETURN(const auto fd, open_at(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  return sys::read_all(fd.get(), limit);
}

Result<> Tree::remove(std::string_view path) const {
  auto place = place_of(path);
  if (!place && is_missing(place.error())) return {};
  if (!place) return std::unexpected(std::move(place).error());
  if (::unlinkat(place->directory.get(), place->name.c_str(), 0) == 0 || errno == ENOENT) return {};
  RETURN_IF_ERROR(empty(path));
  return sys::unlinkat(place->directory.get(), place->name, AT_REMOVEDIR);
}

Result<> Tree::empty(std::string_view path) const {
  const auto directory = open_at(path, O_RDONLY | O_DIRECTORY);
  if (!directory && is_missing(directory.error())) return {};
  if (!directory) return std::unexpected(directory.error());
  return empty_directory(directory->get());
}

}  // namespace templates
