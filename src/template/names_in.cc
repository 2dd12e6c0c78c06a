#include "template/names_in.h"

#include <dirent.h>

#include <cerrno>
#include <memory>

#include "sys/file.h"

namespace templates {

Result<std::vector<std::string>> names_in(int directory) {
  ASSIGN_OR_RETURN(auto again, sys::openat(directory, ".", O_RDONLY | O_DIRECTORY));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(again.get()), ::closedir);
  if (stream == nullptr) return base::failed_call("fdopendir");
  (void)again.release();
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr && errno != 0) return base::failed_call("readdir");
    if (entry == nullptr) return names;
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
}

}  // namespace templates
