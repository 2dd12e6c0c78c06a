#pragma once

#include "base/error.h"

namespace doctor {

// For what must not be possible: fine when the call failed with exactly this errno. Another failure would
// prove nothing.
template <class T>
base::Result<> must_fail_with(int expected, const base::Result<T>& call, const char* otherwise) {
  if (call) return base::fail(base::Code::kInternal, otherwise);
  if (call.error().sys_errno != expected) return std::unexpected(call.error());
  return {};
}

}  // namespace doctor
