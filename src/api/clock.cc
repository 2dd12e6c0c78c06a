#include "api/clock.h"

#include <fmt/format.h>

#include <ctime>

namespace api {

namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// 2026-01-31T09:30:00, by the shape alone.
bool has_shape(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == '0' ? !is_digits(text.substr(i, 1)) : text[i] != kShape[i]) return false;
  }
  return true;
}

// ".25" is 250; digits past the third say nothing here.
std::int64_t milliseconds_of(std::string_view fraction) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < 3; ++i) value = value * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  return value;
}

}  // namespace

base::Result<store::Time> parse_time(std::string_view text, std::string_view what) {
  const auto wrong = [&] {
    return base::fail(base::Code::kInvalid,
                      fmt::format("'{}' has to be a time like 2026-01-31T09:30:00Z", what));
  };
  constexpr std::size_t kWhole = 19;
  if (text.size() < kWhole + 1 || !has_shape(text.substr(0, kWhole)) || text.back() != 'Z') return wrong();
  const std::string_view rest = text.substr(kWhole, text.size() - kWhole - 1);
  if (!rest.empty() && (rest.front() != '.' || rest.size() > 10 || !is_digits(rest.substr(1))))
    return wrong();
  std::tm parts{};
  const std::string whole(text.substr(0, kWhole));
  if (const char* end = ::strptime(whole.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
      end == nullptr || *end != '\0') {
    return wrong();
  }
  const std::int64_t fraction = rest.empty() ? 0 : milliseconds_of(rest.substr(1));
  return store::Time(std::chrono::milliseconds(::timegm(&parts) * 1000 + fraction));
}

}  // namespace api
