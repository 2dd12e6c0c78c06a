#pragma once

#include "base/log.h"
#include "base/paths.h"
#include "store/store.h"

namespace server {

// Ends the sandboxes that an earlier server left: their callers have lost them. Their records say so. Blocks;
// for the time before anything is served.
base::Result<> end_leftovers(const base::Paths& paths, store::Store& store, base::Log& log);

}  // namespace server
