#pragma once

#include "catalogue/catalogue.h"

namespace catalogue {

// Which languages have an interpreter and a runtime in this root file system. It may be hostile: nothing is
// run, and no path leads out of it.
Result<std::vector<Runtime>> runtimes_in(const std::string& root);

}  // namespace catalogue
