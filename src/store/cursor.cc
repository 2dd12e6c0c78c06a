#include "store/cursor.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace store {

namespace {
// Digits of the time, then the id: both of fixed length, so that one place has one cursor.
constexpr std::size_t kTimeDigits = 12;
constexpr std::size_t kIdLength = SandboxId::kLength;
static_assert(kIdLength == TeamId::kLength && kIdLength == UserId::kLength);
static_assert(kIdLength == ProjectId::kLength && kIdLength == KeyId::kLength);
constexpr std::int64_t kMaxTime = (std::int64_t{1} << (4 * kTimeDigits)) - 1;

std::unexpected<base::Error> not_a_cursor() {
  return base::fail(base::Code::kInvalid,
                    "the cursor is not one; pass on the one of the page before, or none");
}
}  // namespace

std::string cursor_of(const Position& position) {
  return fmt::format("{:0{}x}{}", position.created.time_since_epoch().count(), kTimeDigits, position.id);
}

Result<Position> parse_cursor(std::string_view cursor) {
  if (cursor.size() != kTimeDigits + kIdLength) return not_a_cursor();
  const auto digits = cursor.substr(0, kTimeDigits);
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return not_a_cursor();
  std::int64_t milliseconds = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), milliseconds, 16);
  const auto id = cursor.substr(kTimeDigits);
  if (!base::check_name(id, kIdLength, "cursor")) return not_a_cursor();
  return Position{.created = Time(std::chrono::milliseconds(milliseconds)), .id = std::string(id)};
}

Result<Position> start_of(const PageRequest& page) {
  if (page.limit < 1 || page.limit > kMaxPage) {
    return base::fail(base::Code::kInvalid, fmt::format("a page has 1 to {} entries", kMaxPage));
  }
  if (page.cursor) return parse_cursor(*page.cursor);
  return Position{.created = Time(std::chrono::milliseconds(kMaxTime)), .id = "~"};
}

}  // namespace store
