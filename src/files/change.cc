#include "files/change.h"

#include <sys/stat.h>

#include <cerrno>

#include "files/draft.h"

namespace files {

namespace {

using base::Code;
using wire::file::Done;
using wire::file::Parents;

constexpr Done kOne{.entries = 1};

std::unexpected<base::Error> root_is_fixed(const std::string& path) {
  return base::fail(Code::kInvalid, path + " ends at a directory that has no name there; name it in full");
}

Result<> make_one(const Place& place, const std::string& path, std::uint32_t mode) {
  if (::mkdirat(place.parent.get(), place.name.c_str(), 0700) != 0)
    return base::failed_call("mkdir(" + path + ")");
  ASSIGN_OR_RETURN(const auto made,
                   sys::openat(place.parent.get(), place.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return sys::fchmod(made.get(), mode);
}

// True when it was missing.
Result<bool> make_missing(const std::string& path, std::uint32_t mode) {
  ASSIGN_OR_RETURN(const auto place, resolve(path, Links::kFollow));
  if (place.is_directory()) return false;
  if (place.status) {
    return base::fail(Code::kConflict,
                      path + " is " + std::string(name_of_kind(place.status->st_mode)) + ", not a directory");
  }
  const auto made = make_one(place, path, mode);
  // Somebody else was first.
  if (!made && made.error().sys_errno == EEXIST) return false;
  if (!made) return std::unexpected(made.error());
  return true;
}

}  // namespace

Result<> make_parents_of(const std::string& path) {
  auto parts = parts_of(path);
  if (parts.empty()) return {};
  parts.pop_back();
  // Mostly they are there.
  std::string above = "/";
  for (const auto& part : parts) above += part + "/";
  if (const auto place = resolve(above, Links::kFollow); place && place->is_directory()) return {};
  std::string so_far;
  for (const auto& part : parts) {
    so_far += "/" + part;
    RETURN_IF_ERROR(make_missing(so_far, 0755));
  }
  return {};
}

Result<Done> make_directory(const wire::file::MakeDirectory& request) {
  if (request.parents == Parents::kMake) {
    RETURN_IF_ERROR(make_parents_of(request.path));
    ASSIGN_OR_RETURN(const bool made, make_missing(request.path, request.mode));
    return Done{.entries = made ? 1U : 0U};
  }
  ASSIGN_OR_RETURN(const auto place, resolve(request.path, Links::kKeep));
  if (place.status) return base::failed_call("mkdir(" + request.path + ")", EEXIST);
  RETURN_IF_ERROR(make_one(place, request.path, request.mode));
  return kOne;
}

Result<Done> move(const wire::file::Move& request) {
  ASSIGN_OR_RETURN(const auto from, resolve_existing(request.from, Links::kKeep));
  ASSIGN_OR_RETURN(const auto to, resolve(request.to, Links::kKeep));
  if (from.name == ".") return root_is_fixed(request.from);
  if (to.name == ".") return root_is_fixed(request.to);
  const auto moved = rename(from, to, request.existing);
  if (moved) return kOne;
  const std::string what = "move(" + request.from + ", " + request.to + ")";
  if (moved.error().sys_errno == EXDEV) {
    return std::unexpected(
        base::Error{Code::kConflict,
                    what + ": the places are on different disks, or the directory is part of the "
                           "template; copy it and remove the old one",
                    EXDEV});
  }
  return base::failed_call(what, moved.error().sys_errno);
}

Result<Done> set_mode(const wire::file::SetMode& request) {
  ASSIGN_OR_RETURN(const auto place, resolve_existing(request.path, Links::kFollow));
  // Not followed: what the path leads to is known, and a link put there since is not it.
  if (::fchmodat(place.parent.get(), place.name.c_str(), request.mode, AT_SYMLINK_NOFOLLOW) != 0) {
    return base::failed_call("chmod(" + request.path + ")");
  }
  return kOne;
}

Result<Done> make_symlink(const wire::file::MakeSymlink& request) {
  ASSIGN_OR_RETURN(const auto place, resolve(request.path, Links::kKeep));
  if (place.status) return base::failed_call("symlink(" + request.path + ")", EEXIST);
  RETURN_IF_ERROR(sys::symlinkat(request.target, place.parent.get(), place.name));
  return kOne;
}

}  // namespace files
