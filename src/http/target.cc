#include "http/target.h"

#include <algorithm>
#include <charconv>

namespace http {

namespace {
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// What a URL may consist of. Browsers leave some of " < > [ \ ] ^ ` { | } as they are, and so do we.
bool is_url_byte(char c) { return c > 0x20 && c < 0x7f && c != '#'; }

// The byte that the escape at the beginning of `text` stands for, or nothing.
std::optional<char> escaped(std::string_view text) {
  if (text.size() < 3 || text[0] != '%') return std::nullopt;
  const int high = hex_value(text[1]);
  const int low = hex_value(text[2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

base::Result<std::string> decode_segment(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto byte = escaped(text.substr(i));
    if (!byte) return base::fail(base::Code::kInvalid, "in the path, % is not followed by two hex digits");
    if (*byte == '\0') return base::fail(base::Code::kInvalid, "the path holds a NUL");
    decoded += *byte;
    i += 2;
  }
  return decoded;
}

std::string decode_query(std::string_view text, bool& well_formed) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = escaped(text.substr(i));
    well_formed = well_formed && (byte || text[i] != '%');
    decoded += byte ? *byte : text[i] == '+' ? ' ' : text[i];
    if (byte) i += 2;
  }
  return decoded;
}

base::Result<std::vector<std::string>> split_path(std::string_view path) {
  std::vector<std::string> segments;
  segments.reserve(static_cast<std::size_t>(std::ranges::count(path, '/')));
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto end = std::min(path.find('/'), path.size());
    ASSIGN_OR_RETURN(segments.emplace_back(), decode_segment(path.substr(0, end)));
    path.remove_prefix(end);
  }
  return segments;
}

void split_query(std::string_view text, Target& target) {
  while (!text.empty()) {
    const auto end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    auto name = decode_query(pair.substr(0, equals), target.query_is_well_formed);
    const auto value = equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
    target.query.emplace_back(std::move(name), decode_query(value, target.query_is_well_formed));
  }
}
}  // namespace

base::Result<Target> parse_target(std::string_view text) {
  if (!text.starts_with('/'))
    return base::fail(base::Code::kInvalid, "the target of a request is a path that begins with a slash");
  if (!std::ranges::all_of(text, is_url_byte))
    return base::fail(base::Code::kInvalid, "the target holds a byte that has to be written as %XX");
  const auto question = std::min(text.find('?'), text.size());
  Target target{.raw = std::string(text), .raw_path = std::string(text.substr(0, question))};
  ASSIGN_OR_RETURN(target.segments, split_path(target.raw_path));
  if (question < text.size()) split_query(text.substr(question + 1), target);
  return target;
}

std::optional<std::string> query_value(const Target& target, std::string_view name) {
  for (const auto& [key, value] : target.query)
    if (key == name) return value;
  return std::nullopt;
}

base::Result<> check_query(const Target& target, std::span<const std::string_view> known) {
  if (!target.query_is_well_formed)
    return base::fail(base::Code::kInvalid, "in the query, % is not followed by two hex digits");
  const auto& query = target.query;
  for (auto it = query.begin(); it != query.end(); ++it) {
    if (std::ranges::find(known, it->first) == known.end()) {
      std::string list;
      for (const auto name : known) list.append(list.empty() ? "" : ", ").append(name);
      return base::fail(base::Code::kInvalid, "unknown query parameter '" + percent_encode(it->first) +
                                                  "'; known here: " + (list.empty() ? "none" : list));
    }
    const auto same = [&](const auto& other) { return other.first == it->first; };
    if (std::any_of(query.begin(), it, same))
      return base::fail(base::Code::kInvalid, "query parameter '" + it->first + "' is given twice");
  }
  return {};
}

base::Result<std::uint64_t> parse_number(std::string_view text, std::string_view what) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    return base::fail(base::Code::kInvalid, std::string(what) + " is a whole number");
  return number;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || c == '-' || c == '.' || c == '_' || c == '~') {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return encoded;
}

}  // namespace http
