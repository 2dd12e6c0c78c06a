#pragma once

#include <string>
#include <vector>

namespace attacks {

using Lines = std::vector<std::string>;

// A list beside the tests, one line per entry, comments aside.
Lines kept_list(const std::string& name);
// The same, of what a sandbox shows. With COVE_WRITE_GOLDEN=1 in the environment it
// is first rewritten from what was seen; read the difference before keeping it.
Lines golden(const std::string& name, const Lines& seen);

}  // namespace attacks
