#include "api/problem.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/check.h"

namespace api {

namespace {

struct Known {
  std::string_view code;
  unsigned status;
};

constexpr std::array kCodes{
    Known{"invalid_request", 400},
    Known{"unauthorized", 401},
    Known{"forbidden", 403},
    Known{"not_found", 404},
    Known{"method_not_allowed", 405},
    Known{"request_timeout", 408},
    Known{"conflict", 409},
    Known{"gone", 410},
    Known{"payload_too_large", 413},
    Known{"unsupported_media_type", 415},
    Known{"range_not_satisfiable", 416},
    Known{"idempotency_mismatch", 422},
    Known{"too_many_requests", 429},
    Known{"internal", 500},
    Known{"unsupported", 501},
    Known{"unavailable", 503},
    Known{"timeout", 504},
    Known{"disk_full", 507},
};

std::string_view code_of(const base::Error& error) {
  using base::Code;
  if (error.sys_errno == ENOSPC || error.sys_errno == EDQUOT) return "disk_full";
  if (error.sys_errno == EFBIG) return "payload_too_large";
  switch (error.code) {
    case Code::kInvalid:
      return "invalid_request";
    case Code::kNotFound:
      return "not_found";
    case Code::kConflict:
      return "conflict";
    case Code::kDenied:
      return "forbidden";
    case Code::kExhausted:
      return "too_many_requests";
    case Code::kTimeout:
      return "timeout";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kInternal:
      return "internal";
  }
  return "internal";
}

}  // namespace

http::Problem problem(std::string_view code, std::string message, std::string hint) {
  const auto known = std::ranges::find(kCodes, code, &Known::code);
  BASE_CHECK(known != kCodes.end());
  return {.status = known->status,
          .code = std::string(code),
          .message = std::move(message),
          .hint = std::move(hint)};
}

http::Problem problem_of(const base::Error& error) {
  const std::string_view code = code_of(error);
  if (code != "internal") return problem(code, error.message);
  return problem(code, "something went wrong inside the server",
                 "the operator finds more in the log, under the request's id");
}

}  // namespace api
