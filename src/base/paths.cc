#include "base/paths.h"

#include <fmt/format.h>

#include <cstdint>

namespace base {

namespace {
// FNV-1a: a short, stable name for a path; it separates instances, it protects nothing.
std::uint32_t tag_of(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}
}  // namespace

Paths Paths::of(const std::string& state) {
  const std::string name = state == kDefaultState ? "cove" : fmt::format("cove-{:08x}", tag_of(state));
  Paths paths;
  paths.state = state;
  paths.templates = state + "/templates";
  paths.builds = state + "/builds";
  paths.disks = state + "/disks";
  paths.server = state + "/server";
  paths.catalogue = state + "/catalogue";
  paths.run = "/run/" + name;
  paths.sandboxes = paths.run + "/sandboxes";
  paths.stage = paths.run + "/stage";
  paths.spawner_socket = paths.run + "/spawner.sock";
  paths.spawner_lock = paths.run + "/spawner.lock";
  paths.spawner_log = paths.run + "/spawner.log";
  paths.server_run = paths.run + "/server";
  paths.serve_lock = paths.run + "/serve.lock";
  paths.cgroup = name;
  return paths;
}

}  // namespace base
