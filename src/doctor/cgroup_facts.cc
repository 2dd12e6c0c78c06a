#include "doctor/cgroup_facts.h"

#include <algorithm>

namespace doctor {

namespace {
std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> out;
  for (const auto word : split(trimmed(text), ' ')) out.emplace_back(word);
  return out;
}
}  // namespace

CgroupFacts parse_cgroup_facts(const CgroupTexts& texts) {
  CgroupFacts out{.mounts = sys::parse_cgroup_mounts(texts.mountinfo),
                  .offered = list_of(texts.controllers),
                  .passed_on = list_of(texts.subtree_control)};
  out.favordynmods = std::ranges::any_of(parse_mountinfo(texts.mountinfo), [&](const Mount& mount) {
    return mount.mount_point == out.mounts.unified && mount.has_super_option("favordynmods");
  });
  return out;
}

Place place_of(const CgroupFacts& facts, const std::string& controller) {
  if (facts.mounts.controllers.contains(controller)) return Place::kV1;
  const bool all_in_v2 = facts.mounts.controllers.empty();
  return all_in_v2 && std::ranges::find(facts.offered, controller) != facts.offered.end() ? Place::kV2
                                                                                          : Place::kNowhere;
}

std::string_view describe(const CgroupFacts& facts) {
  const bool v1 = !facts.mounts.controllers.empty();
  if (facts.mounts.unified.empty()) return v1 ? "v1 only" : "none";
  return v1 ? "v1 controllers with a unified hierarchy beside them" : "v2";
}

}  // namespace doctor
