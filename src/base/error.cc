#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace base {

std::string_view name_of(Code code) {
  switch (code) {
    case Code::kInvalid:
      return "invalid";
    case Code::kNotFound:
      return "not_found";
    case Code::kConflict:
      return "conflict";
    case Code::kDenied:
      return "denied";
    case Code::kExhausted:
      return "exhausted";
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

std::unexpected<Error> fail(Code code, std::string message) {
  return std::unexpected(Error{code, std::move(message), 0});
}

namespace {
Code code_of_errno(int err) {
  switch (err) {
    case ENOENT:
      return Code::kNotFound;
    case ENAMETOOLONG:
    case ELOOP:
      return Code::kInvalid;
    case EEXIST:
    case EBUSY:
    case EISDIR:
    case ENOTDIR:
    case ENOTEMPTY:
    case ETXTBSY:
    case EXDEV:
      return Code::kConflict;
    case EPERM:
    case EACCES:
    case EROFS:
      return Code::kDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
      return Code::kExhausted;
    case ETIMEDOUT:
      return Code::kTimeout;
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
      return Code::kUnavailable;
    case ENOSYS:
    case EOPNOTSUPP:
      return Code::kUnsupported;
    default:
      return Code::kInternal;
  }
}
}  // namespace

std::unexpected<Error> failed_call(std::string_view call) { return failed_call(call, errno); }

std::unexpected<Error> failed_call(std::string_view call, int err) {
  return std::unexpected(
      Error{code_of_errno(err), std::string(call) + ": " + std::generic_category().message(err), err});
}

Error with_context(std::string_view context, Error error) {
  error.message = std::string(context) + ": " + error.message;
  return error;
}

}  // namespace base
