#include "sys/root_file.h"

namespace sys {

Result<std::string> read_root_file(const std::string& path) {
  ASSIGN_OR_RETURN(const auto fd, open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  ASSIGN_OR_RETURN(const auto status, fstat(fd.get()));
  if (status.st_uid != 0 || (status.st_mode & 022) != 0) {
    return base::fail(base::Code::kDenied,
                      path + " must belong to root and be writable by root alone: chown root " + path +
                          " && chmod go-w " + path);
  }
  return read_all(fd.get());
}

}  // namespace sys
