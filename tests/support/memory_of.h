// How much memory something takes, the whole process counted.
#pragma once

#include <fstream>
#include <functional>
#include <string>

namespace support {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kMemoryIsOurs = false;  // what is freed is kept, and what is used is doubled
#else
constexpr bool kMemoryIsOurs = true;
#endif

inline std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) << 10;
  }
  return 0;
}

// How much more than before was ever in use while it worked.
inline std::size_t memory_of(const std::function<void()>& work) {
  std::ofstream("/proc/self/clear_refs") << "5";
  const std::size_t before = peak_memory();
  work();
  return peak_memory() - before;
}

}  // namespace support
