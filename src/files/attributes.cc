#include "files/attributes.h"

#include <sys/xattr.h>

#include <cerrno>

#include "files/place.h"

namespace files {

namespace {

using wire::file::Attribute;
using wire::file::Done;

Result<sys::UniqueFd> open_subject(const std::string& path) {
  ASSIGN_OR_RETURN(const auto place, resolve_existing(path, Links::kFollow));
  if (!place.is_directory()) return open_regular(place, path, O_RDONLY);
  auto directory = sys::openat(place.parent.get(), place.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return base::failed_call("open(" + path + ")", directory.error().sys_errno);
  return directory;
}

Result<std::vector<std::string>> names_of(int fd, const std::string& path) {
  std::string list(64 << 10, '\0');  // the kernel's own limit for a list
  const ssize_t n = ::flistxattr(fd, list.data(), list.size());
  if (n < 0) return base::failed_call("listxattr(" + path + ")");
  list.resize(static_cast<std::size_t>(n));
  std::vector<std::string> names;
  for (std::size_t at = 0; at < list.size();) {
    std::string name(list.c_str() + at);
    at += name.size() + 1;
    if (name.starts_with("user.")) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Result<Done> get_attributes(Call& call, const wire::file::GetAttributes& request) {
  ASSIGN_OR_RETURN(const auto fd, open_subject(request.path));
  ASSIGN_OR_RETURN(const auto names, names_of(fd.get(), request.path));
  Done done;
  for (const std::string& name : names) {
    Attribute attribute{.name = name, .value = std::string(wire::file::kMaxAttribute, '\0')};
    const ssize_t n = ::fgetxattr(fd.get(), name.c_str(), attribute.value.data(), attribute.value.size());
    if (n < 0 && errno == ENODATA) continue;
    if (n < 0) return base::failed_call("getxattr(" + request.path + ", " + name + ")");
    attribute.value.resize(static_cast<std::size_t>(n));
    RETURN_IF_ERROR(call.send(std::move(attribute)));
    ++done.entries;
  }
  return done;
}

Result<Done> set_attribute(const wire::file::SetAttribute& request) {
  ASSIGN_OR_RETURN(const auto fd, open_subject(request.path));
  if (::fsetxattr(fd.get(), request.name.c_str(), request.value.data(), request.value.size(), 0) != 0) {
    return base::failed_call("setxattr(" + request.path + ", " + request.name + ")");
  }
  return Done{.entries = 1};
}

Result<Done> remove_attribute(const wire::file::RemoveAttribute& request) {
  ASSIGN_OR_RETURN(const auto fd, open_subject(request.path));
  if (::fremovexattr(fd.get(), request.name.c_str()) != 0) {
    const int err = errno == ENODATA ? ENOENT : errno;
    return base::failed_call("removexattr(" + request.path + ", " + request.name + ")", err);
  }
  return Done{.entries = 1};
}

}  // namespace files
