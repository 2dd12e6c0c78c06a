#pragma once

#include <string>
#include <string_view>

#include "sys/file.h"

namespace sys {

// Tells the service manager that started us how we are ("READY=1"), at the socket that it named in
// NOTIFY_SOCKET. Without one, nothing is done.
Result<> notify_service_manager(std::string_view state);

}  // namespace sys
