#include "init/gauges.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "sys/cgroup.h"
#include "sys/file.h"
#include "sys/retry.h"

namespace init {

Result<std::uint64_t> Gauges::value(int fd, const char* key) const {
  auto text = sys::pread_text(fd);
  if (!text) return std::unexpected(base::with_context(key, std::move(text).error()));
  return sys::gauge_value(*text, key);
}

Result<GaugeMarks> Gauges::marks() const {
  GaugeMarks marks;
  ASSIGN_OR_RETURN(marks.oom_kills, value(fds_.oom, "oom_kill"));
  ASSIGN_OR_RETURN(marks.pids_refusals, value(fds_.pids, "max"));
  return marks;
}

Result<> Gauges::reset_peak() const {
  // v1: any number resets the high-water mark. v2: the same write resets it for this descriptor. EBADF: it
  // was opened read-only, because this kernel cannot reset it.
  if (sys::retry([&] { return ::pwrite(fds_.memory_peak, "0\n", 2, 0); }) < 0 && errno != EBADF) {
    return base::failed_call("write(memory peak)");
  }
  return {};
}

Result<bool> Gauges::out_of_memory(const GaugeMarks& since) const {
  ASSIGN_OR_RETURN(const auto now, value(fds_.oom, "oom_kill"));
  return now > since.oom_kills;
}

Result<bool> Gauges::pids_exhausted(const GaugeMarks& since) const {
  ASSIGN_OR_RETURN(const auto now, value(fds_.pids, "max"));
  return now > since.pids_refusals;
}

Result<std::uint64_t> Gauges::memory_peak() const {
  auto text = sys::pread_text(fds_.memory_peak);
  if (!text) return std::unexpected(base::with_context("memory peak", std::move(text).error()));
  return std::strtoull(text->c_str(), nullptr, 10);
}

short Gauges::notify_events() const {
  // v1 hands an eventfd; v2 the events file itself, which is always readable and has news as POLLPRI.
  struct stat st{};
  return ::fstat(fds_.oom_notify, &st) == 0 && S_ISREG(st.st_mode) ? POLLPRI : POLLIN;
}

void Gauges::acknowledge() const {
  char buffer[4096];
  // An eventfd gives its count; the events file wants to be read again from the start.
  if (::pread(fds_.oom_notify, buffer, sizeof buffer, 0) < 0) (void)!::read(fds_.oom_notify, buffer, 8);
}

}  // namespace init
