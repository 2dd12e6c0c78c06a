// What a new spawner does first. The kernel's own view decides: a sandbox lives when its cgroup has
// processes, and it is complete when it has a record.
#include <set>

#include "spawner/sandboxes.h"
#include "sys/directory.h"
#include "sys/process.h"

namespace spawner {

namespace {

// The pid of a record may by now be somebody else's: it counts only while it is in the sandbox's own group.
Result<bool> is_in_group(pid_t pid, const std::string& group) {
  auto text = sys::read_file("/proc/" + std::to_string(pid) + "/cgroup");
  if (!text && (text.error().sys_errno == ENOENT || text.error().sys_errno == ESRCH)) return false;
  if (!text) return std::unexpected(std::move(text).error());
  const std::size_t line = text->find("0::");
  if (line == std::string::npos) return false;
  return text->substr(line, text->find('\n', line) - line).ends_with("/" + group);
}

}  // namespace

Result<> Sandboxes::adopt(Record record) {
  ASSIGN_OR_RETURN(const bool alive, is_in_group(record.pid, record.id.text()));
  blocks_.reserve_block(record.first_id);
  auto pidfd = alive ? sys::pidfd_open(record.pid) : base::failed_call("pidfd_open", ESRCH);
  // It may end while we look.
  if (!pidfd && pidfd.error().sys_errno != ESRCH) return std::unexpected(std::move(pidfd).error());
  if (!pidfd) {
    (void)note_own_end(record.id);
    endings_.begin({.id = record.id, .first_id = record.first_id, .pidfd = {}, .disk = {}});
    return {};
  }
  // What pid 1 has is what it was given: nobody inside may change it. One that ends just now has none.
  auto cpus = sys::cpus_of(record.pid);
  if (!cpus && cpus.error().sys_errno != ESRCH) return std::unexpected(std::move(cpus).error());
  const base::SandboxId id = record.id;
  sandboxes_.emplace(id, Sandbox{.record = std::move(record),
                                 .pidfd = *std::move(pidfd),
                                 .cpus = cpus ? *cpus : sys::CpuNumbers{},
                                 .disk = {}});
  return {};
}

Result<> Sandboxes::reconcile() {
  ASSIGN_OR_RETURN(auto records, load_records(paths_));
  for (Record& record : records) RETURN_IF_ERROR(adopt(std::move(record)));
  // Groups, sockets and drafts without a record are the remains of what was never complete.
  std::set<std::string> names;
  ASSIGN_OR_RETURN(const auto groups, cgroups_.list());
  names.insert(groups.begin(), groups.end());
  ASSIGN_OR_RETURN(const auto files, sys::entries(paths_.sandboxes));
  for (const std::string& file : files) names.insert(file.substr(0, file.find('.')));
  for (const std::string& name : names) {
    const auto id = base::SandboxId::parse(name);
    if (!id || sandboxes_.contains(*id)) continue;
    if (!endings_.contains(*id)) endings_.begin({.id = *id, .first_id = {}, .pidfd = {}, .disk = {}});
    auto draft = sys::unlinkat(AT_FDCWD, paths_.sandboxes + "/" + name + ".record.new");
    if (!draft && draft.error().code != base::Code::kNotFound) return draft;
  }
  // Which ids the half-made ones had is not known: nobody gets any before they are gone.
  RETURN_IF_ERROR(finish_endings());
  std::set<std::string> living;
  for (const auto& [id, sandbox] : sandboxes_) living.insert(id.text());
  return disks_.reconcile(living);
}

}  // namespace spawner
