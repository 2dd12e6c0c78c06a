#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace http {

// The target of a request, taken apart once, before anybody decides by it.
struct Target {
  std::string raw;       // as it came: path and query
  std::string raw_path;  // up to the question mark
  // Between the slashes of the path, decoded: "/v1/a%2Fb" is {"v1", "a/b"}; "/" is {""}, "/a/" is {"a", ""},
  // "/a//b" is {"a", "", "b"}. Dots mean nothing here: a router matches them with rest parameters alone.
  std::vector<std::string> segments;
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order; `+` is a blank
  bool query_is_well_formed = true;                        // false: a stray % is in it, kept as it came
};

// Origin form only. kInvalid: another form, a byte that no URL has, a % without two hex digits, a NUL.
base::Result<Target> parse_target(std::string_view text);

// The first value of that name.
std::optional<std::string> query_value(const Target& target, std::string_view name);
// kInvalid when there is a parameter that is not in `known`, one that comes twice, or a stray %.
base::Result<> check_query(const Target& target, std::span<const std::string_view> known);

// A whole decimal number, no sign, no blank. `what` names it in the message.
base::Result<std::uint64_t> parse_number(std::string_view text, std::string_view what);

// Everything but letters, digits and -._~ becomes %XX.
std::string percent_encode(std::string_view text);

}  // namespace http
