#pragma once

#include <cstdint>
#include <string>

#include "sys/file.h"

// Disk images for the loop backend. None ever has a name in a directory: the kernel frees it with its last
// user, however that ends.
namespace spawner {

using base::Result;

// An empty ext4 of this size; it takes up only what its few blocks hold.
Result<sys::UniqueFd> make_golden_image(const std::string& directory, std::uint64_t bytes);
// A fresh copy with its whole size reserved on the host, mounted, attached nowhere.
Result<sys::UniqueFd> mount_copy(const std::string& directory, int golden, std::uint64_t bytes);
// The same disk for somebody else: emptied, and mounted anew. Only one whose device nothing was written to
// since `writes` were counted: what its last user has left was in memory alone, and is gone.
Result<sys::UniqueFd> renew(int mount, std::uint64_t writes);

}  // namespace spawner
