#include "http/head.h"

#include <algorithm>
#include <array>

namespace http {

namespace {
// What decides whom a request is from, what it is about or where it ends has one value. Proxies take the
// first of several or the last, and so would somebody else than we.
constexpr std::array<std::string_view, 17> kOnlyOnce = {"host",
                                                        "content-length",
                                                        "transfer-encoding",
                                                        "authorization",
                                                        "origin",
                                                        "content-type",
                                                        "expect",
                                                        "range",
                                                        "if-match",
                                                        "if-range",
                                                        "if-none-match",
                                                        "idempotency-key",
                                                        "last-event-id",
                                                        "upgrade",
                                                        "sec-websocket-key",
                                                        "x-api-key",
                                                        "sec-websocket-version"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::unexpected<Problem> bad(std::string message) {
  return std::unexpected(Problem{.status = 400, .code = "invalid_request", .message = std::move(message)});
}

using Checked = std::expected<void, Problem>;

Checked parse_request_line(std::string_view line, Head& head) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    return bad("the request line has three parts, one blank between each");
  const std::string_view method = line.substr(0, first);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || method.size() > 32) return bad("the method is not a word");
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return std::unexpected(Problem{505, "http_version", "this server speaks HTTP/1.1"});
  if (method == "CONNECT" || method == "TRACE")
    return std::unexpected(Problem{501, "unsupported", std::string(method) + " is not served"});
  auto target = parse_target(line.substr(first + 1, last - first - 1));
  if (!target) return bad(std::move(target).error().message);
  head.method = method;
  head.target = *std::move(target);
  head.minor_version = version.back() - '0';
  return {};
}

Checked parse_header_line(std::string_view line, Head& head) {
  if (line.starts_with(' ') || line.starts_with('\t')) return bad("a header line must not be folded");
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return bad("a header line has no colon");
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_token(name)) return bad("the name of a header is not a word, or a blank is before its colon");
  if (!is_field_value(value)) return bad("header " + std::string(name) + " holds a control character");
  const auto same = [&](std::string_view other) { return same_word(name, other); };
  if (head.header(name) && std::ranges::any_of(kOnlyOnce, same))
    return bad("header " + std::string(name) + " is given twice");
  head.headers.push_back({std::string(name), std::string(value)});
  return {};
}

Checked decide_length(Head& head) {
  const auto length = head.header("content-length");
  const auto coding = head.header("transfer-encoding");
  if (length && coding) return bad("a request has Content-Length or Transfer-Encoding, not both");
  if (coding && head.minor_version == 0) return bad("HTTP/1.0 has no Transfer-Encoding");
  if (coding && !same_word(*coding, "chunked"))
    return std::unexpected(Problem{501, "unsupported", "the only Transfer-Encoding served is chunked"});
  head.is_chunked = coding.has_value();
  if (!length) return {};
  auto number = parse_number(*length, "Content-Length");
  if (!number) return bad(std::move(number).error().message);
  head.content_length = *number;
  return {};
}

Checked decide_connection(Head& head) {
  bool upgrade = false;
  head.keep_alive = head.minor_version == 1;
  for (const std::string& word : list_header(head, "connection")) {
    if (same_word(word, "close")) head.keep_alive = false;
    if (same_word(word, "upgrade")) upgrade = true;
  }
  const auto wanted = head.header("upgrade");
  head.wants_web_socket = upgrade && wanted && same_word(*wanted, "websocket") && head.minor_version == 1;
  if (const auto expected = head.header("expect"); expected && head.minor_version == 1) {
    if (!same_word(*expected, "100-continue"))
      return std::unexpected(
          Problem{417, "expectation_failed", "the only expectation served is 100-continue"});
    head.expects_continue = head.has_body();
  }
  return {};
}
}  // namespace

bool same_word(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> Head::header(std::string_view name) const {
  for (const Header& header : headers)
    if (same_word(header.name, name)) return header.value;
  return std::nullopt;
}

std::vector<std::string> list_header(const Head& head, std::string_view name) {
  std::vector<std::string> words;
  for (const Header& header : head.headers) {
    if (!same_word(header.name, name)) continue;
    std::string_view left = header.value;
    while (!left.empty()) {
      const auto end = std::min(left.find(','), left.size());
      if (const auto word = trimmed(left.substr(0, end)); !word.empty()) words.emplace_back(word);
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  return words;
}

HeadScan scan_head(std::string_view bytes, std::size_t seen) {
  while (true) {
    const auto end = bytes.find('\n', seen);
    if (end == std::string_view::npos) return {};
    if (end == 0 || bytes[end - 1] != '\r') return {HeadScan::Kind::kMalformed};
    if (end == 1) return {HeadScan::Kind::kMalformed};  // an empty line before the request line
    if (end >= 3 && bytes[end - 2] == '\n') return {HeadScan::Kind::kWhole, end + 1};
    seen = end + 1;
  }
}

std::expected<Head, Problem> parse_head(std::string_view text, std::size_t most_headers) {
  Head head;
  bool is_first = true;
  while (!text.empty()) {
    const auto end = text.find("\r\n");
    if (end == std::string_view::npos) return bad("the head does not end with an empty line");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line.empty() && !is_first) break;
    if (!is_first && head.headers.size() >= most_headers)
      return std::unexpected(
          Problem{431, "head_too_large", "more than " + std::to_string(most_headers) + " headers"});
    const auto parsed = is_first ? parse_request_line(line, head) : parse_header_line(line, head);
    if (!parsed) return std::unexpected(parsed.error());
    is_first = false;
  }
  if (is_first || !text.empty()) return bad("the head is not one request");
  if (const auto decided = decide_length(head); !decided) return std::unexpected(decided.error());
  if (const auto decided = decide_connection(head); !decided) return std::unexpected(decided.error());
  return head;
}

}  // namespace http
