#include "sys/directory.h"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace sys {

namespace {
enum class Only { kDirectories, kAnything };

Result<std::vector<std::string>> read_names(UniqueFd directory, Only only) {
  DIR* stream = ::fdopendir(directory.get());
  if (stream == nullptr) return base::failed_call("fdopendir");
  (void)directory.release();
  const std::unique_ptr<DIR, int (*)(DIR*)> owner(stream, ::closedir);
  std::vector<std::string> names;
  while (true) {
    errno = 0;  // the end and a failure look alike otherwise
    const dirent* const entry = ::readdir(stream);
    if (entry == nullptr && errno != 0) return base::failed_call("readdir");
    if (entry == nullptr) return names;
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    if (only == Only::kDirectories && entry->d_type != DT_DIR) continue;
    names.emplace_back(entry->d_name);
  }
}
}  // namespace

Result<std::vector<std::string>> subdirectories(const std::string& path) {
  ASSIGN_OR_RETURN(auto directory, open(path, O_RDONLY | O_DIRECTORY));
  return read_names(std::move(directory), Only::kDirectories);
}

Result<std::vector<std::string>> subdirectories_at(int directory) {
  // A fresh open, so that the caller's descriptor keeps its own position.
  ASSIGN_OR_RETURN(auto again, openat(directory, ".", O_RDONLY | O_DIRECTORY));
  return read_names(std::move(again), Only::kDirectories);
}

Result<std::vector<std::string>> entries(const std::string& path) {
  ASSIGN_OR_RETURN(auto directory, open(path, O_RDONLY | O_DIRECTORY));
  return read_names(std::move(directory), Only::kAnything);
}

Result<std::vector<std::string>> entries_at(int directory) {
  ASSIGN_OR_RETURN(auto again, openat(directory, ".", O_RDONLY | O_DIRECTORY));
  return read_names(std::move(again), Only::kAnything);
}

}  // namespace sys
