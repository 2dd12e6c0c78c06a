#include "template/staging.h"

#include <sys/file.h>
#include <sys/random.h>

#include <array>
#include <cerrno>

#include "base/check.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/retry.h"
#include "template/delete_tree.h"

namespace templates {

namespace {

constexpr std::string_view kTrash = "trash.";

// Held for moments only: between making a staging directory and locking it, and while sweeping looks for
// free locks, so that a directory just born is never taken for one left behind.
Result<sys::UniqueFd> hold_guard(const std::string& builds) {
  ASSIGN_OR_RETURN(auto guard, sys::open(builds + "/.guard", O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  if (sys::retry([&] { return ::flock(guard.get(), LOCK_EX); }) != 0)
    return base::failed_call("flock(.guard)");
  return guard;
}

// A lock file that is there and held.
bool is_held(const sys::UniqueFd& lock) { return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0; }

sys::UniqueFd open_lock(const std::string& path) {
  auto lock = sys::open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  return lock ? std::move(*lock) : sys::UniqueFd();
}

// Moves a directory out of the way when nobody holds its lock.
Result<> condemn_if_stale(const std::string& builds, const std::string& name) {
  const auto path = builds + "/" + name;
  const auto lock = open_lock(path + "/lock");
  if (is_held(lock)) return {};
  return sys::renameat(AT_FDCWD, path, AT_FDCWD, builds + "/" + std::string(kTrash) + random_suffix());
}

// The name lock of a builder that was killed. Whoever waits for it notices that the file has gone.
Result<> remove_if_stale(const std::string& path) {
  const auto lock = open_lock(path);
  if (!lock || is_held(lock)) return {};
  return sys::unlinkat(AT_FDCWD, path);
}

Result<> condemn_stale(const std::string& builds) {
  ASSIGN_OR_RETURN(const auto guard, hold_guard(builds));
  ASSIGN_OR_RETURN(const auto names, sys::subdirectories(builds));
  for (const auto& name : names) {
    if (!name.starts_with(kTrash)) RETURN_IF_ERROR(condemn_if_stale(builds, name));
  }
  ASSIGN_OR_RETURN(const auto files, sys::entries(builds));
  for (const auto& name : files) {
    if (name.ends_with(".lock")) RETURN_IF_ERROR(remove_if_stale(builds + "/" + name));
  }
  return {};
}

}  // namespace

std::string random_suffix() {
  std::array<unsigned char, 8> raw{};
  BASE_CHECK(::getrandom(raw.data(), raw.size(), 0) == static_cast<ssize_t>(raw.size()));
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : raw) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

Result<Staging> Staging::create(const std::string& builds, const std::string& name) {
  RETURN_IF_ERROR(check_template_name(name));
  ASSIGN_OR_RETURN(const auto guard, hold_guard(builds));
  const auto path = builds + "/" + name + "." + random_suffix();
  RETURN_IF_ERROR(sys::mkdirat(AT_FDCWD, path, 0700));
  ASSIGN_OR_RETURN(auto lock, sys::flock_exclusive(path + "/lock"));
  Staging staging(path, std::move(lock));
  RETURN_IF_ERROR(sys::mkdirat(AT_FDCWD, staging.product(), 0700));
  return staging;
}

Staging::~Staging() {
  // What cannot be removed now is swept when a store is opened.
  if (lock_) (void)delete_tree(path_);
}

Result<> sweep_builds(const std::string& builds) {
  RETURN_IF_ERROR(condemn_stale(builds));
  ASSIGN_OR_RETURN(const auto names, sys::subdirectories(builds));
  for (const auto& name : names) {
    if (name.starts_with(kTrash)) RETURN_IF_ERROR(delete_tree(builds + "/" + name));
  }
  return {};
}

}  // namespace templates
