#include "spawner/forkable.h"

#include <string>

#include "sys/directory.h"
#include "sys/file.h"

namespace spawner {

namespace {

using base::Result;

constexpr std::size_t kOwnDescriptors = 4;
constexpr std::size_t kLongestMaps = 16 << 20;

base::Error left_behind(const std::string& what) {
  return {base::Code::kUnavailable,
          "a package leaves " + what + " behind after its import; take it off the preload list"};
}

// "7f…-7f… rw-s …": the fourth letter of the flags.
bool has_shared_writable(std::string_view maps) {
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(maps.size(), line.size() + 1));
    const std::size_t flags = line.find(' ');
    if (flags == std::string_view::npos || flags + 4 >= line.size()) continue;
    if (line[flags + 2] == 'w' && line[flags + 4] == 's') return true;
  }
  return false;
}

}  // namespace

Result<> check_forkable(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  ASSIGN_OR_RETURN(const auto threads, sys::entries(process + "/task"));
  if (threads.size() != 1) {
    return std::unexpected(left_behind(std::to_string(threads.size() - 1) + " thread(s)"));
  }
  ASSIGN_OR_RETURN(const auto maps, sys::read_file(process + "/maps", kLongestMaps));
  if (has_shared_writable(maps)) return std::unexpected(left_behind("memory that is shared with every fork"));
  ASSIGN_OR_RETURN(const auto descriptors, sys::entries(process + "/fd"));
  if (descriptors.size() > kOwnDescriptors) {
    return std::unexpected(
        left_behind(std::to_string(descriptors.size() - kOwnDescriptors) + " open descriptor(s)"));
  }
  return {};
}

}  // namespace spawner
