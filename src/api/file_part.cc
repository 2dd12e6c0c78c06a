#include "api/file_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace api {

namespace {

using wire::file::Entry;

// What is larger than any file counts as the largest: that a range lies past the end is no nonsense.
std::optional<std::uint64_t> position_of(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  for (const char digit : digits) {
    const auto add = static_cast<std::uint64_t>(digit - '0');
    if (value > (UINT64_MAX - add) / 10) return UINT64_MAX;
    value = value * 10 + add;
  }
  return value;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Our tags have no comma, so a list can be cut at each; a weak one is as good here.
bool names(std::string_view list, std::string_view etag) {
  while (true) {
    const auto comma = list.find(',');
    std::string_view tag = trimmed(list.substr(0, comma));
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == "*" || tag == etag) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

Part cut(const ByteRange& range, std::uint64_t size) {
  std::uint64_t first = range.first;
  std::uint64_t last = std::min(range.last, size - 1);
  if (range.suffix) {
    first = size - std::min(*range.suffix, size);
    last = size - 1;
  }
  if (first >= size) return {.status = 416};
  return {.status = 206, .offset = first, .length = last - first + 1};
}

}  // namespace

std::optional<ByteRange> parse_range(std::string_view header) {
  constexpr std::string_view kUnit = "bytes=";
  if (!header.starts_with(kUnit)) return std::nullopt;
  const std::string_view text = trimmed(header.substr(kUnit.size()));
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view before = text.substr(0, dash);
  const std::string_view after = text.substr(dash + 1);
  if (before.empty()) {
    const auto suffix = position_of(after);
    if (!suffix) return std::nullopt;
    return ByteRange{.suffix = suffix};
  }
  const auto first = position_of(before);
  const auto last = after.empty() ? UINT64_MAX : position_of(after);
  if (!first || !last || *first > *last) return std::nullopt;
  return ByteRange{.first = *first, .last = *last};
}

std::string etag_of(const Entry& entry) {
  return fmt::format("\"{:x}-{:x}-{:x}\"", entry.inode, static_cast<std::uint64_t>(entry.modified_ns),
                     entry.size);
}

std::string last_modified_of(const Entry& entry) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::time_t seconds = entry.modified_ns / kSecond - (entry.modified_ns % kSecond < 0 ? 1 : 0);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> line{};
  const auto size = std::strftime(line.data(), line.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {line.data(), size};
}

Part part_of(const Entry& entry, const Conditions& conditions) {
  // What has no size may be made up by the kernel as it is read: its tag says nothing, nor has it parts.
  if (entry.size == 0) return {};
  const std::string etag = etag_of(entry);
  if (!conditions.none_match.empty() && names(conditions.none_match, etag)) return {.status = 304};
  const bool is_same = conditions.if_range.empty() || conditions.if_range == etag;
  if (!conditions.range || !is_same) return {.length = entry.size};
  return cut(*conditions.range, entry.size);
}

}  // namespace api
