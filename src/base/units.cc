#include "base/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace base {

namespace {

struct Quantity {
  double value = 0;
  std::string_view unit;
};

std::optional<Quantity> split_quantity(std::string_view text) {
  Quantity out;
  // Digits and one dot only: no sign, no exponent, no "inf".
  std::size_t digits = text.find_first_not_of("0123456789.");
  if (digits == std::string_view::npos) digits = text.size();
  const auto parsed = std::from_chars(text.data(), text.data() + digits, out.value, std::chars_format::fixed);
  if (digits == 0 || parsed.ec != std::errc() || parsed.ptr != text.data() + digits) return std::nullopt;
  out.unit = text.substr(digits);
  return out;
}

struct Unit {
  std::string_view name;
  double factor;
};

template <std::size_t N>
std::optional<double> scaled(std::string_view text, const Unit (&units)[N]) {
  const auto quantity = split_quantity(text);
  if (!quantity) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name == quantity->unit) return quantity->value * unit.factor;
  }
  return std::nullopt;
}

constexpr double kKi = 1024;
constexpr Unit kByteUnits[] = {
    {"", 1},
    {"b", 1},
    {"B", 1},
    {"k", kKi},
    {"K", kKi},
    {"kb", kKi},
    {"KB", kKi},
    {"KiB", kKi},
    {"m", kKi* kKi},
    {"M", kKi* kKi},
    {"MB", kKi* kKi},
    {"MiB", kKi* kKi},
    {"g", kKi* kKi* kKi},
    {"G", kKi* kKi* kKi},
    {"GB", kKi* kKi* kKi},
    {"GiB", kKi* kKi* kKi},
};
constexpr Unit kTimeUnits[] = {{"ms", 1},       {"s", 1000},      {"", 1000},       {"m", 60'000},
                               {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};

}  // namespace

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const auto bytes = scaled(text, kByteUnits);
  if (!bytes || *bytes > 1e18) {
    return fail(Code::kInvalid, fmt::format("'{}' is not a size; write 512M, 1G or a number of bytes", text));
  }
  return static_cast<std::uint64_t>(*bytes);
}

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto ms = scaled(text, kTimeUnits);
  if (!ms || *ms > 1e15) {
    return fail(Code::kInvalid, fmt::format("'{}' is not a time; write 30s, 5m, 1h or 250ms", text));
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(*ms));
}

Result<std::uint32_t> parse_cpus(std::string_view text) {
  constexpr Unit kPlain[] = {{"", 1000}};
  const auto millis = scaled(text, kPlain);
  if (!millis || *millis > 1e9) {
    return fail(Code::kInvalid, fmt::format("'{}' is not a number of CPUs; write 1, 0.5 or 2", text));
  }
  return static_cast<std::uint32_t>(std::lround(*millis));
}

std::string format_bytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value >= kKi * kKi * kKi) return fmt::format("{:.1f} GiB", value / (kKi * kKi * kKi));
  if (value >= kKi * kKi) return fmt::format("{:.1f} MiB", value / (kKi * kKi));
  if (value >= kKi) return fmt::format("{:.1f} KiB", value / kKi);
  return fmt::format("{} B", bytes);
}

std::string format_duration(std::chrono::microseconds time) {
  const auto us = static_cast<double>(time.count());
  if (us >= 1e6) return fmt::format("{:.2f} s", us / 1e6);
  return fmt::format("{:.1f} ms", us / 1e3);
}

}  // namespace base
