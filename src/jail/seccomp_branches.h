#pragma once

#include <linux/filter.h>

#include <span>

namespace jail {

// Turns conditional jumps whose outcome is certain into plain ones, in place. libseccomp emits many: it
// compares the upper halves of arguments under an empty mask, and compares for equality where a search has
// left a single number. Without them every remaining branch can go both ways, which the tests assert.
void settle_branches(std::span<sock_filter> program);

}  // namespace jail
