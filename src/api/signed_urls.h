#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/call.h"

// URLs that are good without a key, for a while. Each carries what it is about and a signature made with a
// key that only this server has: nothing of it is kept, none can be taken back, and all end with the server.
namespace api {

// What a URL opens: one file of one sandbox, by one method.
struct Grant {
  std::string sandbox;
  std::string what;           // of_file()
  std::uint64_t expires = 0;  // seconds since 1970; the last in which it is good

  static std::string of_file(std::string_view method, std::string_view path);
};

// Letters and digits.
std::string sign(std::string_view key, const Grant& grant);
// Whether it is the signature of this, and still good. Takes as long for any wrong one.
bool is_good(std::string_view key, const Grant& grant, std::string_view signature);

// For routes of files, Access::kSigned: the sandbox of {sandbox}, for a key that sees it, or for whoever has
// the signature for this method and {path}. Without either: unauthorized.
io::Task<fleet::SandboxPtr> sandbox_by_key_or_signature(CallPtr call);

}  // namespace api
