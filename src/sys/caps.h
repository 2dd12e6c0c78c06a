#pragma once

#include <cstdint>

#include "sys/file.h"

namespace sys {

// A set of capabilities, bit n = capability number n of <linux/capability.h>.
using CapMask = std::uint64_t;
constexpr CapMask cap(int number) { return CapMask{1} << number; }

Result<> set_capabilities(CapMask effective, CapMask permitted, CapMask inheritable);
Result<> limit_bounding_set(CapMask keep);
// Replaces the ambient set; each must be permitted and inheritable already.
Result<> set_ambient(CapMask mask);
Result<> set_securebits(unsigned bits);

}  // namespace sys
