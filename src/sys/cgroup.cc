#include "sys/cgroup.h"

#include <dirent.h>
#include <poll.h>
#include <unistd.h>

#include <charconv>
#include <set>

#include "sys/cgroup_v1.h"
#include "sys/cgroup_v2.h"
#include "sys/directory.h"
#include "sys/mount.h"

namespace sys {

CgroupTree::CgroupTree(std::string parent, CgroupMounts mounts)
    : parent_(std::move(parent)), mounts_(std::move(mounts)) {}

Result<UniqueFd> CgroupTree::open_unified(const std::string& name) const {
  return open(unified_path() + "/" + name, O_RDONLY | O_DIRECTORY);
}

Result<CgroupGroup> CgroupTree::create(const std::string& name, const CgroupLimits& limits, uid_t owner) {
  ASSIGN_OR_RETURN(auto group, create(name));
  RETURN_IF_ERROR(set_limits(name, limits));
  RETURN_IF_ERROR(delegate_group(group.unified.get(), owner));
  return group;
}

Result<> CgroupTree::kill_all(const std::string& name) const {
  return write_existing(unified_path() + "/" + name + "/cgroup.kill", "1");
}

Result<bool> CgroupTree::populated(const std::string& name) const {
  ASSIGN_OR_RETURN(const auto text, read_file(unified_path() + "/" + name + "/cgroup.events"));
  return gauge_value(text, "populated") != 0;
}

Result<UniqueFd> CgroupTree::open_events(const std::string& name) const {
  return open(unified_path() + "/" + name + "/cgroup.events", O_RDONLY);
}

Result<> CgroupTree::wait_empty(const std::string& name, std::chrono::milliseconds limit) const {
  ASSIGN_OR_RETURN(const auto events, open_events(name));
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    ASSIGN_OR_RETURN(const auto text, pread_text(events.get()));
    if (gauge_value(text, "populated") == 0) return {};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return base::fail(base::Code::kTimeout, "cgroup " + name + " does not become empty");
    pollfd waiting{.fd = events.get(), .events = POLLPRI, .revents = 0};
    (void)::poll(&waiting, 1, static_cast<int>(left.count()));
  }
}

Result<std::vector<std::string>> CgroupTree::list() const {
  std::set<std::string> names;
  std::vector<std::string> roots{unified_path()};
  for (const auto& [controller, path] : mounts_.controllers) roots.push_back(path + "/" + parent_);
  for (const std::string& root : roots) {
    auto found = subdirectories(root);
    if (!found && found.error().code == base::Code::kNotFound) continue;
    if (!found) return std::unexpected(std::move(found).error());
    names.insert(found->begin(), found->end());
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Result<> delegate_group(int group_directory, uid_t owner) {
  RETURN_IF_ERROR(write_existing_at(group_directory, "cgroup.max.depth", "1"));
  RETURN_IF_ERROR(write_existing_at(group_directory, "cgroup.max.descendants", std::to_string(kMaxLeaves)));
  RETURN_IF_ERROR(fchownat(group_directory, "", owner, owner));
  return fchownat(group_directory, "cgroup.procs", owner, owner);
}

Result<bool> is_in_group(pid_t pid, const std::string& group) {
  auto text = read_file("/proc/" + std::to_string(pid) + "/cgroup");
  if (!text && (text.error().sys_errno == ENOENT || text.error().sys_errno == ESRCH)) return false;
  if (!text) return std::unexpected(std::move(text).error());
  const std::size_t line = text->find("0::");
  if (line == std::string::npos) return false;
  return text->substr(line, text->find('\n', line) - line).ends_with("/" + group);
}

Result<> remove_leaves(int group_directory) {
  ASSIGN_OR_RETURN(const auto leaves, subdirectories_at(group_directory));
  for (const std::string& leaf : leaves) {
    if (auto done = unlinkat(group_directory, leaf, AT_REMOVEDIR);
        !done && done.error().sys_errno != ENOENT) {
      return done;
    }
  }
  return {};
}

namespace {
std::uint64_t number_of(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}
}  // namespace

Result<> check_pids(int directory) {
  ASSIGN_OR_RETURN(const auto now, read_file_at(directory, "pids.current"));
  ASSIGN_OR_RETURN(const auto most, read_file_at(directory, "pids.max"));
  if (most.starts_with("max") || number_of(now) <= number_of(most)) return {};
  return base::fail(base::Code::kExhausted, "the sandbox has as many processes as it may; end one first");
}

std::uint64_t gauge_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') continue;
    std::uint64_t value = 0;
    std::from_chars(line.data() + key.size() + 1, line.data() + line.size(), value);
    return value;
  }
  return 0;
}

Result<std::unique_ptr<CgroupTree>> open_cgroup_tree(const std::string& parent, const CgroupMounts& mounts) {
  // Without this, moving a process into a group after some quiet waits for an RCU grace period of about 20
  // ms.
  RETURN_IF_ERROR(remount_option(mounts.unified, "favordynmods"));
  RETURN_IF_ERROR(mkdir_if_missing(mounts.unified + "/" + parent, 0755));
  if (mounts.controllers.empty()) return make_v2_tree(parent, mounts);
  return make_v1_tree(parent, mounts);
}

}  // namespace sys
