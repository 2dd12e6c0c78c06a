#include "engine/runtime_environment.h"

#include <fmt/format.h>

namespace engine {

std::vector<std::string> runtime_environment(std::uint64_t memory_bytes) {
  return {
      // The JVM: MaxRAM is what it takes for the machine's memory, of which half is for the heap: code,
      // threads,
      // metaspace and the sandbox's own files need the rest. What stands on a command line wins over this.
      // Every JVM says on stderr that it has picked this up. So it does with JDK_JAVA_OPTIONS, which only the
      // `java` program reads; there is no quiet way, and a heap larger than the sandbox is worse than a line.
      fmt::format("JAVA_TOOL_OPTIONS=-XX:MaxRAM={} -XX:MaxRAMPercentage=50", memory_bytes),
      // Node reads /proc/meminfo and takes half, but never less than 256 MiB.
      fmt::format("NODE_OPTIONS=--max-old-space-size={}", memory_bytes / 2 >> 20),
      // Go collects harder when it comes near, instead of being killed: a soft limit.
      fmt::format("GOMEMLIMIT={}", memory_bytes / 10 * 9),
  };
}

// Programs disagree on which of two counts, so there is one.
void set_variables(std::vector<std::string>& environment, const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    const std::string name = entry.substr(0, entry.find('=')) + "=";
    std::erase_if(environment, [&](const std::string& known) { return known.starts_with(name); });
    environment.push_back(entry);
  }
}

}  // namespace engine
