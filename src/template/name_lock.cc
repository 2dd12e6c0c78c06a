#include "template/name_lock.h"

#include <poll.h>
#include <unistd.h>

#include "sys/file.h"

namespace templates {

namespace {

// The holder removes the file before it lets go, so a lock may turn out to be on a file that is gone.
bool is_still_there(const sys::UniqueFd& lock, const std::string& path) {
  const auto held = sys::fstat(lock.get());
  const auto named = sys::fstatat(AT_FDCWD, path);
  return held && named && held->st_ino == named->st_ino && held->st_dev == named->st_dev;
}

void pause_between_tries(const Cancel& cancel) {
  pollfd waiting{.fd = cancel.fd(), .events = POLLIN, .revents = 0};
  (void)::poll(&waiting, 1, 200);
}

std::string holder_of(const std::string& path) {
  auto text = sys::read_file(path, 32);
  return text && !text->empty() ? "process " + printable(*text) : std::string("another process");
}

}  // namespace

Result<NameLock> NameLock::acquire(const std::string& builds, const std::string& name, Progress& progress,
                                   const Cancel& cancel) {
  RETURN_IF_ERROR(check_template_name(name));
  const auto path = builds + "/" + name + ".lock";
  for (bool told = false;; told = true) {
    RETURN_IF_ERROR(cancel.check());
    auto lock = sys::flock_exclusive(path);
    if (!lock && lock.error().code != base::Code::kConflict) return std::unexpected(std::move(lock).error());
    if (lock && is_still_there(*lock, path)) {
      if (::ftruncate(lock->get(), 0) != 0) return base::failed_call("ftruncate(" + path + ")");
      RETURN_IF_ERROR(sys::write_all(lock->get(), std::to_string(::getpid())));
      return NameLock(path, std::move(*lock));
    }
    if (lock) continue;
    if (!told) progress.detail("waiting: " + name + " is being built by " + holder_of(path));
    pause_between_tries(cancel);
  }
}

NameLock::~NameLock() {
  if (lock_) (void)::unlink(path_.c_str());
}

}  // namespace templates
