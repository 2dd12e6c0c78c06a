#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace base {

enum class DiskBackend { kAuto, kQuota, kLoop, kTmpfs };

// What sandboxes' disks are made of, and how much of the host they may take.
struct DiskConfig {
  DiskBackend backend = DiskBackend::kAuto;
  std::uint64_t default_bytes = std::uint64_t{1} << 30;
  std::uint32_t pool = 2;  // disks of the default size that are made ahead
  std::uint64_t reserve = std::uint64_t{1} << 30;
};

// What the operator may configure. One table (config.cc) of key, meaning and parser; an unknown key is an
// error.
struct Config {
  std::vector<std::string> workspace_roots;
  DiskConfig disk;
  // Whole sandboxes that are made ahead, of the kinds that are asked for again.
  std::uint32_t ready = 16;
  // That all of them together may take.
  std::uint64_t ready_memory = std::uint64_t{1} << 30;

  static constexpr const char* kDefaultPath = "/etc/cove/cove.conf";
};

// `text` has lines "key = value", blank lines and # comments; `origin` names it in errors.
Result<Config> parse_config(std::string_view text, std::string_view origin);

}  // namespace base
