// base: what every folder may use. Result and Error (here), checks, sizes, ids, configuration.
//
// Three classes of failure, kept apart everywhere:
//   * the caller or the environment is wrong  -> Result<T> carrying an Error,
//   * we are wrong (a bug)                    -> BASE_CHECK aborts with file and line,
//   * a daemon runs out of memory             -> abort; a restart is cheap.
// A message is built by the lowest layer from the call that failed ("open(/x): No such file or directory");
// layers above add context only when it adds a noun.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace base {

// What kind of failure this is. One table in api/ will map these to HTTP statuses; nothing else decides one.
enum class Code {
  kInvalid,      // the input is wrong; the message says which part and what is allowed
  kNotFound,     //
  kConflict,     // exists already, in use, wrong state
  kDenied,       // permission or policy
  kExhausted,    // out of some bounded thing: disk, ids, descriptors, processes
  kTimeout,      //
  kUnavailable,  // the other side is not there (spawner down, connection closed)
  kUnsupported,  // the host lacks a needed feature
  kInternal,
};

std::string_view name_of(Code code);

struct Error {
  Code code = Code::kInternal;
  std::string message;
  int sys_errno = 0;
};

// A subclass only so that the type can carry [[nodiscard]].
template <class T = void>
struct [[nodiscard]] Result : std::expected<T, Error> {
  using std::expected<T, Error>::expected;
};

// `return base::fail(Code::kInvalid, "…")` from any function returning a Result.
std::unexpected<Error> fail(Code code, std::string message);

// The failed system call's name and arguments in `call`; errno is read at entry.
std::unexpected<Error> failed_call(std::string_view call);
std::unexpected<Error> failed_call(std::string_view call, int err);

// Prefixes the message with a noun: "sandbox ab12: …".
Error with_context(std::string_view context, Error error);

}  // namespace base

// Declarations, not statement expressions, so that the same macros work around co_await.
#define BASE_CAT_(a, b) a##b
#define BASE_CAT(a, b) BASE_CAT_(a, b)
#define RETURN_IF_ERROR(expr) \
  if (auto r_ = (expr); !r_) return std::unexpected(std::move(r_).error())
#define ASSIGN_OR_RETURN(decl, expr) ASSIGN_OR_RETURN_(BASE_CAT(r_, __COUNTER__), decl, expr)
#define ASSIGN_OR_RETURN_(tmp, decl, expr)                  \
  auto tmp = (expr);                                        \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  decl = *std::move(tmp)
