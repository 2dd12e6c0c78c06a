#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/response.h"
#include "http/target.h"

namespace http {

// The head of a request, with everything decided that decides where the request ends.
struct Head {
  std::string method;
  Target target;
  int minor_version = 1;
  std::vector<Header> headers;  // as they came, values trimmed

  bool keep_alive = true;
  bool is_chunked = false;
  std::optional<std::uint64_t> content_length;
  bool expects_continue = false;
  bool wants_web_socket = false;

  bool has_body() const { return is_chunked || content_length.value_or(0) > 0; }
  // The first of that name, whatever its case.
  std::optional<std::string_view> header(std::string_view name) const;
};

// Looks for the empty line that ends a head. `seen` bytes were looked at before.
struct HeadScan {
  enum class Kind { kMore, kWhole, kMalformed };
  Kind kind = Kind::kMore;
  std::size_t size = 0;  // of a whole one, its empty line included
};
HeadScan scan_head(std::string_view bytes, std::size_t seen);

// Strict where readers of HTTP are known to differ: line ends, folding, blanks before a colon, several
// lengths, lengths beside codings, other forms of target. `text` is a whole head.
std::expected<Head, Problem> parse_head(std::string_view text, std::size_t most_headers);

// ASCII only, which header names are.
bool same_word(std::string_view a, std::string_view b);
std::string_view trimmed(std::string_view text);
// The values of a comma-separated header, over all of its lines.
std::vector<std::string> list_header(const Head& head, std::string_view name);

}  // namespace http
