#pragma once

#include <cstdint>
#include <string>

#include "template/rules.h"

namespace templates {

struct TreeDigest {
  std::string digest;         // SHA-256 of the canonical manifest
  std::uint64_t bytes = 0;    // of regular files, hard links counted once
  std::uint64_t entries = 0;  // with the root directory
};

// Reads the whole tree below the open directory `root`.
Result<TreeDigest> digest_tree(int root);

}  // namespace templates
