#include "template/folder.h"

#include <algorithm>

#include "sys/directory.h"
#include "template/recipe_values.h"

namespace templates {

namespace {

constexpr std::size_t kMaxBytes = 32 << 20;
constexpr std::size_t kMaxParts = 4096;

std::unexpected<base::Error> refused(const std::string& path, std::string_view why) {
  return base::fail(base::Code::kInvalid, printable(path) + ": " + std::string(why));
}

Result<> add_file(const std::string& source, const std::string& path, Folder& all) {
  ASSIGN_OR_RETURN(const auto fd, sys::open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  ASSIGN_OR_RETURN(const auto status, sys::fstat(fd.get()));
  if (!S_ISREG(status.st_mode)) return refused(source, "neither a file nor a folder");
  ASSIGN_OR_RETURN(auto content, sys::read_all(fd.get(), kMaxBytes - all.bytes));
  all.bytes += content.size();
  const mode_t mode = (status.st_mode & 0111) != 0 ? 0755 : 0644;
  all.files.push_back({.path = path, .mode = mode, .content = std::move(content)});
  return {};
}

}  // namespace

Result<> read_folder(const std::string& source, const std::string& path, Folder& all) {
  RETURN_IF_ERROR(check_recipe_path(path));
  all.directories.push_back({.path = path, .mode = 0755});
  ASSIGN_OR_RETURN(auto names, sys::entries(source));
  std::ranges::sort(names);
  for (const auto& name : names) {
    if (name == "__pycache__" || name == "node_modules") continue;
    if (all.directories.size() + all.files.size() > kMaxParts) return refused(source, "more than 4096 files");
    const auto from = source + "/" + name;
    const auto to = path + "/" + name;
    RETURN_IF_ERROR(check_recipe_path(to));
    ASSIGN_OR_RETURN(const auto status, sys::fstatat(AT_FDCWD, from));
    if (S_ISDIR(status.st_mode)) {
      RETURN_IF_ERROR(read_folder(from, to, all));
    } else if (S_ISREG(status.st_mode)) {
      RETURN_IF_ERROR(add_file(from, to, all));
    } else {
      return refused(from, "neither a file nor a folder");
    }
  }
  return {};
}

}  // namespace templates
