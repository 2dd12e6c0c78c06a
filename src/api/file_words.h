#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "api/call.h"
#include "fleet/files.h"

// What all routes about files have in common: how paths, modes and entries are written, and how long is
// waited for a sandbox.
namespace api {

// Of the path of the route: absolute, without empty parts. kInvalid for others.
Result<std::string> path_of(const Call& call);
// Of the query, absolute or relative to the home directory; it has to be there.
Result<std::string> queried_path(const Call& call, const fleet::Sandbox& sandbox);

// Permission bits, three or four octal digits. kInvalid for all else.
Result<std::uint32_t> parse_mode(std::string_view text);

// For JSON: what is no UTF-8 becomes U+FFFD.
std::string text_of_path(std::string_view bytes);
// Sets `path`, and `path_base64` when the former does not say it all.
void put_path(boost::json::object& document, std::string_view bytes);
boost::json::object entry_document(const wire::file::Entry& entry);

// For the next thing that a sandbox says, and for work that is as large as its disk.
inline io::Deadline soon() { return io::Clock::now() + std::chrono::minutes(1); }
inline io::Deadline in_a_while() { return io::Clock::now() + std::chrono::minutes(10); }

// What a call inside a sandbox failed with. It is no fault of the server, whatever number the kernel gave it.
template <class T>
Result<T> told(Result<T> result) {
  if (!result && result.error().code == base::Code::kInternal && result.error().sys_errno != 0) {
    result.error().code = base::Code::kConflict;
  }
  return result;
}

// Everything from the client into the sandbox; returns when it is in place.
io::Task<wire::file::Done> take_body(CallPtr call, fleet::FileSink sink);
// The rest of what comes out of a sandbox, after the beginning of an answer.
io::Task<> send_rest(CallPtr call, fleet::FileSource source);

}  // namespace api
