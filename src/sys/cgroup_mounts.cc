#include "sys/cgroup_mounts.h"

#include <sstream>
#include <vector>

#include "sys/file.h"

namespace sys {

namespace {
constexpr const char* kV1Controllers[] = {"memory", "pids", "cpu"};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}
}  // namespace

CgroupMounts parse_cgroup_mounts(std::string_view mountinfo) {
  CgroupMounts mounts;
  for (const std::string& line : split(std::string(mountinfo), '\n')) {
    // "36 35 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory": optional fields end at the dash.
    const auto fields = split(line, ' ');
    std::size_t dash = 0;
    while (dash < fields.size() && fields[dash] != "-") ++dash;
    if (fields.size() < 5 || dash + 3 >= fields.size()) continue;
    const std::string& type = fields[dash + 1];
    if (type == "cgroup2" && mounts.unified.empty()) mounts.unified = fields[4];
    if (type != "cgroup") continue;
    for (const std::string& option : split(fields[dash + 3], ',')) {
      for (const char* controller : kV1Controllers) {
        if (option == controller) mounts.controllers.emplace(controller, fields[4]);
      }
    }
  }
  return mounts;
}

base::Result<CgroupMounts> find_cgroup_mounts() {
  ASSIGN_OR_RETURN(const auto text, read_file("/proc/self/mountinfo", 16 << 20));
  auto mounts = parse_cgroup_mounts(text);
  if (mounts.unified.empty()) {
    return base::fail(
        base::Code::kUnsupported,
        "no cgroup2 hierarchy is mounted; mount one: mount -t cgroup2 none /sys/fs/cgroup/unified");
  }
  return mounts;
}

}  // namespace sys
