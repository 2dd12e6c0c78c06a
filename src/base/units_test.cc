#include "base/units.h"

#include "tests/support/result.h"

namespace base {
namespace {

using std::chrono::milliseconds;
using support::FailsSaying;
using support::FailsWith;

TEST(ParseBytes, BinaryUnitsInEverySpelling) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"0", 0},
      {"65536", 65536},
      {"1b", 1},
      {"64k", 64 << 10},
      {"64K", 64 << 10},
      {"64KiB", 64 << 10},
      {"512M", 512 << 20},
      {"512MB", 512 << 20},
      {"512MiB", 512 << 20},
      {"1G", 1ULL << 30},
      {"2GiB", 2ULL << 30},
      {"1.5G", 3ULL << 29},
      {"0.5k", 512},
  };
  for (const auto& [text, bytes] : cases) {
    ASSERT_OK_AND_ASSIGN(const auto parsed, parse_bytes(text));
    EXPECT_EQ(parsed, bytes) << text;
  }
}

TEST(ParseBytes, WhatIsNoSizeIsRefusedByName) {
  for (const char* text : {"", "M", "-1", "+1", "1e9", "inf", "nan", "0x10", " 1", "1 ", "1 M", "1T", "1.2.3",
                           ".", "..", "1MM", "99999999999999999999999999999", "10000000000G"}) {
    EXPECT_THAT(parse_bytes(text), FailsWith(Code::kInvalid)) << text;
    EXPECT_THAT(parse_bytes(text), FailsSaying(text)) << text;
  }
}

TEST(ParseDuration, ABareNumberIsSeconds) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"30", 30'000},    {"30s", 30'000},     {"250ms", 250}, {"5m", 300'000}, {"5min", 300'000},
      {"1h", 3'600'000}, {"2d", 172'800'000}, {"0.5s", 500},  {"0", 0},
  };
  for (const auto& [text, ms] : cases) {
    ASSERT_OK_AND_ASSIGN(const auto parsed, parse_duration(text));
    EXPECT_EQ(parsed, milliseconds(ms)) << text;
  }
}

TEST(ParseDuration, WhatIsNoTimeIsRefused) {
  for (const char* text : {"", "s", "-1s", "1y", "1 s", "soon", "99999999999999999999d", "1e3", "infs"}) {
    EXPECT_THAT(parse_duration(text), FailsWith(Code::kInvalid)) << text;
  }
}

TEST(ParseCpus, ThousandthsRounded) {
  const std::pair<const char*, std::uint32_t> cases[] = {
      {"1", 1000}, {"0.5", 500}, {"2.25", 2250}, {"0.0009", 1}, {"0.1", 100}, {"1000000", 1'000'000'000}};
  for (const auto& [text, millis] : cases) {
    ASSERT_OK_AND_ASSIGN(const auto parsed, parse_cpus(text));
    EXPECT_EQ(parsed, millis) << text;
  }
}

TEST(ParseCpus, WhatIsNoNumberOfCpusIsRefused) {
  for (const char* text : {"", "one", "1k", "-1", "1000001", "4294967296000"}) {
    EXPECT_THAT(parse_cpus(text), FailsWith(Code::kInvalid)) << text;
  }
}

TEST(Format, SizesAndTimesReadWell) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(512ULL << 20), "512.0 MiB");
  EXPECT_EQ(format_bytes(3ULL << 29), "1.5 GiB");
  EXPECT_EQ(format_duration(std::chrono::microseconds(1500)), "1.5 ms");
  EXPECT_EQ(format_duration(std::chrono::seconds(2)), "2.00 s");
}

}  // namespace
}  // namespace base
