#pragma once

#include <string>

#include "base/paths.h"
#include "jail/wiring.h"

namespace spawner {

// Files of ours that sandboxes and zygotes are made with.
struct Programs {
  std::string init;           // pid 1 of every sandbox
  std::string enter_library;  // what a zygote loads
};

// Reads them (cove-init into a sealed memfd) and generates the filters: done once, before the first request.
base::Result<jail::Materials> make_materials(const base::Paths& paths, const Programs& programs);

}  // namespace spawner
