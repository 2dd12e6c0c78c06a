#include "doctor/host.h"

#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"

namespace doctor {

namespace {
std::string text_of(const std::string& path) { return sys::read_file(path, 16 << 20).value_or(""); }

std::string nearest_directory(std::string path) {
  struct stat found{};
  while (path.size() > 1 && (::stat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode))) {
    const auto slash = path.find_last_of('/');
    path.resize(slash == std::string::npos || slash == 0 ? 1 : slash);
  }
  return path.empty() || path[0] != '/' ? "/" : path;
}

CgroupFacts read_cgroup_facts() {
  CgroupTexts texts{.mountinfo = text_of("/proc/self/mountinfo")};
  const std::string root = sys::parse_cgroup_mounts(texts.mountinfo).unified;
  if (!root.empty()) {
    texts.controllers = text_of(root + "/cgroup.controllers");
    texts.subtree_control = text_of(root + "/cgroup.subtree_control");
  }
  return parse_cgroup_facts(texts);
}

std::string system_name() {
  auto fields = parse_os_release(text_of("/etc/os-release"));
  return fields.contains("PRETTY_NAME") ? fields["PRETTY_NAME"] : "Linux";
}
}  // namespace

Host describe_host(const Options& options) {
  return {.options = options,
          .release = kernel_release(text_of("/proc/version")),
          .system = system_name(),
          .environment = classify(gather_traces()),
          .cgroups = read_cgroup_facts(),
          .privilege = ::geteuid() == 0 ? Privilege::kRoot : Privilege::kUser,
          .capabilities = parse_capability_mask(text_of("/proc/self/status"), "CapEff:").value_or(0),
          .state_ancestor = nearest_directory(options.state_directory),
          .scratch_group = "cove-doctor-" + std::to_string(::getpid())};
}

}  // namespace doctor
