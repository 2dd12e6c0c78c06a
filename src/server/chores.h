#pragma once

#include "api/services.h"

namespace server {

// What is done now and then: when keys were last used is written down, and old answers and old records are
// forgotten. Never returns.
io::Task<> do_chores(api::Services& services);

}  // namespace server
