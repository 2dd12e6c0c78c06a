#include "init/leaf.h"

#include <unistd.h>

#include <charconv>

#include "sys/cgroup.h"
#include "sys/process.h"

namespace init {

Result<Leaf> Leaf::make(int group, const std::string& name) {
  RETURN_IF_ERROR(sys::mkdirat(group, name, 0755));
  ASSIGN_OR_RETURN(auto directory, sys::openat(group, name, O_RDONLY | O_DIRECTORY));
  return Leaf(group, name, std::move(directory));
}

Result<> Leaf::signal_all(int signal, pid_t group) const {
  ASSIGN_OR_RETURN(const auto pids, sys::read_file_at(directory_.get(), "cgroup.procs"));
  const char* at = pids.data();
  const char* const end = at + pids.size();
  while (at < end) {
    pid_t pid = 0;
    const auto parsed = std::from_chars(at, end, pid);
    if (parsed.ec != std::errc()) break;
    at = parsed.ptr + 1;
    // Those that left the group. One that ended meanwhile needs no signal any more.
    if (pid > 1 && ::getpgid(pid) != group) (void)sys::kill(pid, signal);
  }
  (void)sys::kill(-group, signal);
  return {};
}

Result<> Leaf::kill_all() const { return sys::write_existing_at(directory_.get(), "cgroup.kill", "1"); }

Result<> Leaf::take_in(pid_t pid) const {
  return sys::write_existing_at(directory_.get(), "cgroup.procs", std::to_string(pid));
}

Result<std::uint64_t> cpu_microseconds(int group) {
  ASSIGN_OR_RETURN(const auto text, sys::read_file_at(group, "cpu.stat"));
  return sys::gauge_value(text, "usage_usec");
}

bool Leaf::remove() { return sys::unlinkat(group_, name_, AT_REMOVEDIR).has_value(); }

}  // namespace init
