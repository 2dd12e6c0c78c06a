#include "http/chunked.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace http {
namespace {

// What comes out of it, fed `step` bytes at a time; nothing: refused or not at its end.
std::optional<std::string> decode(std::string_view input, std::size_t step) {
  ChunkedDecoder decoder;
  std::string output;
  while (!decoder.is_done()) {
    if (input.empty()) return std::nullopt;
    const auto fed = decoder.feed(input.substr(0, step));
    if (!fed) return std::nullopt;
    output += fed->data;
    input.remove_prefix(fed->consumed);
  }
  return output + "|" + std::string(input);
}

TEST(Chunked, IsTheSameHoweverItComes) {
  for (const std::size_t step : {1, 2, 3, 7, 1000})
    EXPECT_EQ(decode("5\r\nhello\r\n00A\r\n0123456789\r\n0\r\n\r\nGET", step), "hello0123456789|GET") << step;
  EXPECT_EQ(decode("0\r\n\r\n", 1), "|");
}

TEST(Chunked, RefusesWhatReadersDisagreeAbout) {
  for (const auto* wrong :
       {"5;x=y\r\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n",
        "5\r\nhelloX\n0\r\n\r\n", "\r\n0\r\n\r\n", " 5\r\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n",
        "-1\r\n", "0x5\r\nhello\r\n", "0\r\nTrailer: x\r\n\r\n", "0\r\n\n", "1000000000000000\r\n",
        "5\r\nhello\r\n0\r\n"})
    for (const std::size_t step : {1, 1000}) EXPECT_EQ(decode(wrong, step), std::nullopt) << wrong;
}

}  // namespace
}  // namespace http
