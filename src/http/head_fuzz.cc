// A head is refused, or means to Beast, an independent reader, what it means to us; and its Host and Origin
// can be judged.
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "http/guard.h"
#include "http/head.h"

namespace {
void compare(std::string_view text, const http::Head& head) {
  namespace beast = boost::beast;
  beast::http::request_parser<beast::http::empty_body> parser;
  parser.header_limit(1 << 20);
  boost::system::error_code error;
  parser.put(boost::asio::buffer(text), error);
  // It refuses more: lists that are no lists, for one.
  if (error && error != beast::http::error::unexpected_body && error != beast::http::error::need_more) return;
  if (!parser.is_header_done()) return;
  const auto& other = parser.get();
  BASE_CHECK(other.method_string() == head.method);
  BASE_CHECK(other.target() == head.target.raw);
  BASE_CHECK(parser.chunked() == head.is_chunked);
  const auto length = parser.content_length();
  BASE_CHECK(length.has_value() == head.content_length.has_value());
  BASE_CHECK(!length || *length == *head.content_length);
  for (const auto& header : head.headers) {
    const auto [begin, end] = other.equal_range(header.name);
    bool found = false;
    for (auto it = begin; it != end; ++it) found = found || it->value() == header.value;
    BASE_CHECK(found);
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scan = http::scan_head(text, 0);
  if (scan.kind != http::HeadScan::Kind::kWhole) return 0;
  const std::string_view whole = text.substr(0, scan.size);
  const auto head = http::parse_head(whole, 100);
  if (!head) {
    BASE_CHECK(head.error().status >= 400 && head.error().status < 600);
    return 0;
  }
  BASE_CHECK(!head->is_chunked || !head->content_length);
  for (const auto& segment : head->target.segments) BASE_CHECK(segment.find('\0') == std::string::npos);
  compare(whole, *head);
  const http::Names names{.domains = {"preview.example.com"}};
  const auto admission = http::admit(names, head->header("host").value_or(""), head->header("origin"));
  BASE_CHECK(admission.refusal || !admission.host.name.empty());
  return 0;
}
