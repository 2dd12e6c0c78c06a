#pragma once

namespace base {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

}  // namespace base
