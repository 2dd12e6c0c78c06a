#include "store/directory.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"

namespace store {

namespace {

using base::Result;

// What SQLite has beside the main file, too.
constexpr const char* kFiles[] = {"cove.db", "cove.db-wal", "cove.db-shm", "cove.db-journal"};

Result<sys::UniqueFd> made_directory(const std::string& path) {
  RETURN_IF_ERROR(sys::mkdir_if_missing(path, 0700));
  return sys::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

Result<> give(int fd, const std::string& name, Owner owner) {
  ASSIGN_OR_RETURN(const auto stat, sys::fstat(fd));
  if (stat.st_uid == owner.uid && stat.st_gid == owner.gid) return {};
  // A file that has another name as well may be somebody else's.
  if (!S_ISDIR(stat.st_mode) && (!S_ISREG(stat.st_mode) || stat.st_nlink != 1)) {
    return base::fail(base::Code::kDenied, name + " is not a file of the server's own: remove it");
  }
  if (::fchown(fd, owner.uid, owner.gid) != 0) return base::failed_call("fchown(" + name + ")");
  return {};
}

}  // namespace

std::string directory_of(const std::string& state) { return state + "/server"; }
std::string database_of(const std::string& state) { return directory_of(state) + "/cove.db"; }

Result<> prepare_directory(const std::string& state, Owner owner) {
  ASSIGN_OR_RETURN(const auto top, made_directory(state));
  RETURN_IF_ERROR(sys::fchmod(top.get(), 0711));
  const std::string path = directory_of(state);
  ASSIGN_OR_RETURN(const auto directory, made_directory(path));
  RETURN_IF_ERROR(sys::fchmod(directory.get(), 0700));
  for (const char* name : kFiles) {
    const auto file = sys::openat(directory.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!file && file.error().code == base::Code::kNotFound) continue;
    if (!file) return std::unexpected(base::with_context(path, file.error()));
    RETURN_IF_ERROR(give(file->get(), path + "/" + name, owner));
  }
  return give(directory.get(), path, owner);
}

Result<> become_owner_of_directory(const std::string& state) {
  const std::string path = directory_of(state);
  RETURN_IF_ERROR(made_directory(state));
  ASSIGN_OR_RETURN(const auto directory, made_directory(path));
  ASSIGN_OR_RETURN(const auto stat, sys::fstat(directory.get()));
  if (stat.st_uid == ::geteuid()) return {};
  if (::setgroups(0, nullptr) != 0) return base::failed_call("setgroups()");
  if (::setresgid(stat.st_gid, stat.st_gid, stat.st_gid) != 0) return base::failed_call("setresgid()");
  if (::setresuid(stat.st_uid, stat.st_uid, stat.st_uid) != 0) return base::failed_call("setresuid()");
  return {};
}

}  // namespace store
