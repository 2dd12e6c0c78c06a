#pragma once

#include <string>

#include "base/paths.h"
#include "jail/wiring.h"

namespace spawner {

// Reads cove-init into a sealed memfd and generates the filters: done once, before the first request.
base::Result<jail::Materials> make_materials(const base::Paths& paths, const std::string& init_program);

}  // namespace spawner
