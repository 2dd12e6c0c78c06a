#include "template/durable.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "sys/file.h"

namespace templates {

namespace {
std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

Result<> write_new_file(const std::string& path, std::string_view text) {
  ASSIGN_OR_RETURN(const auto fd, sys::open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  RETURN_IF_ERROR(sys::write_all(fd.get(), text));
  if (::fsync(fd.get()) != 0) return base::failed_call("fsync(" + path + ")");
  return {};
}

Result<> rename_over(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(sys::renameat(AT_FDCWD, from, AT_FDCWD, to));
  return sync_directory(parent_of(to));
}

Result<> sync_directory(const std::string& path) {
  ASSIGN_OR_RETURN(const auto fd, sys::open(path, O_RDONLY | O_DIRECTORY));
  if (::fsync(fd.get()) != 0) return base::failed_call("fsync(" + path + ")");
  return {};
}

Result<> sync_file_system(const std::string& path) {
  ASSIGN_OR_RETURN(const auto fd, sys::open(path, O_RDONLY | O_DIRECTORY));
  if (::syncfs(fd.get()) != 0) return base::failed_call("syncfs(" + path + ")");
  return {};
}

Result<> rename_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
    return base::failed_call("rename(" + from + ", " + to + ")");
  }
  return sync_directory(parent_of(to));
}

}  // namespace templates
