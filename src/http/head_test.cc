#include "http/head.h"

#include <gtest/gtest.h>

namespace http {
namespace {

std::expected<Head, Problem> parse(std::string_view text) { return parse_head(text, 10); }

unsigned status_of(std::string_view text) {
  const auto head = parse(text);
  return head ? 0 : head.error().status;
}

std::string request(std::string_view headers) {
  return "POST /x HTTP/1.1\r\nHost: a\r\n" + std::string(headers) + "\r\n";
}

TEST(Head, IsTakenApart) {
  const auto head =
      parse("GET /a/b?c=d HTTP/1.1\r\nHost: here:80\r\nAccept:\t text/html \r\nX-Empty:\r\n\r\n");
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->method, "GET");
  EXPECT_EQ(head->target.raw, "/a/b?c=d");
  EXPECT_EQ(head->header("HOST"), "here:80");
  EXPECT_EQ(head->header("accept"), "text/html");
  EXPECT_EQ(head->header("x-empty"), "");
  EXPECT_EQ(head->header("missing"), std::nullopt);
  EXPECT_TRUE(head->keep_alive);
  EXPECT_FALSE(head->has_body());
}

TEST(Head, AgreesAboutTheLengthOrRefuses) {
  const auto sized = parse(request("Content-Length: 12\r\n"));
  ASSERT_TRUE(sized.has_value());
  EXPECT_EQ(sized->content_length, 12U);
  const auto chunked = parse(request("Transfer-Encoding: Chunked\r\n"));
  ASSERT_TRUE(chunked.has_value());
  EXPECT_TRUE(chunked->is_chunked);

  EXPECT_EQ(status_of(request("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n")), 400U);
  EXPECT_EQ(status_of(request("Content-Length: 1\r\nContent-Length: 1\r\n")), 400U);
  EXPECT_EQ(status_of(request("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")), 400U);
  for (const auto* wrong : {"+1", "-1", "1, 1", "0x1", "", "1 1", "18446744073709551616"})
    EXPECT_EQ(status_of(request("Content-Length: " + std::string(wrong) + "\r\n")), 400U) << wrong;
  for (const auto* wrong : {"gzip, chunked", "chunked, chunked", "xchunked", "identity", "\"chunked\""})
    EXPECT_EQ(status_of(request("Transfer-Encoding: " + std::string(wrong) + "\r\n")), 501U) << wrong;
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 400U);
}

TEST(Head, RefusesWhatReadersDisagreeAbout) {
  EXPECT_EQ(status_of(request("")), 0U);
  for (const auto* wrong : {"A: b\r\n folded\r\n", "\tA: b\r\n", "A : b\r\n", ": b\r\n", "nocolon\r\n",
                            "A: b\rc\r\n", "A(: b\r\n"})
    EXPECT_EQ(status_of(request(wrong)), 400U) << wrong;
  EXPECT_EQ(status_of(request(std::string_view("A: \0\r\n", 6))), 400U);
  for (const auto* wrong : {"GET http://a/ HTTP/1.1", "GET  / HTTP/1.1", "GET /a b HTTP/1.1",
                            "GET / HTTP/1.1 ", " GET / HTTP/1.1", "GET /", "OPTIONS * HTTP/1.1",
                            "GET /a#b HTTP/1.1", "G(T / HTTP/1.1", "GET / http/1.1\t"})
    EXPECT_GE(status_of(std::string(wrong) + "\r\nHost: a\r\n\r\n"), 400U) << wrong;
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505U);
  EXPECT_EQ(status_of("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"), 501U);
  EXPECT_EQ(status_of("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n"), 501U);
}

TEST(Head, HasOneValueForWhatDecidesAnything) {
  EXPECT_EQ(status_of(request("X-Twice: a\r\nX-Twice: b\r\n")), 0U);
  for (const auto* name : {"hOst", "Authorization", "Origin", "Content-Type", "Idempotency-Key", "Range"})
    EXPECT_EQ(status_of(request(std::string(name) + ": a\r\n" + name + ": b\r\n")), 400U) << name;
}

TEST(Head, HasBoundedHeaders) {
  std::string headers;
  for (int i = 0; i < 9; ++i) headers += "A: b\r\n";
  EXPECT_EQ(status_of(request(headers)), 0U);
  EXPECT_EQ(status_of(request(headers + "A: b\r\n")), 431U);
}

TEST(Head, KnowsWhatTheConnectionIsFor) {
  EXPECT_FALSE(parse(request("Connection: x, Close\r\n"))->keep_alive);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\nHost: a\r\n\r\n")->keep_alive);
  EXPECT_TRUE(parse(request("Content-Length: 1\r\nExpect: 100-Continue\r\n"))->expects_continue);
  EXPECT_EQ(status_of(request("Expect: tea\r\n")), 417U);
  EXPECT_TRUE(parse(request("Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"))->wants_web_socket);
  EXPECT_FALSE(parse(request("Connection: keep-alive\r\nUpgrade: websocket\r\n"))->wants_web_socket);
}

TEST(Head, EndsWithAnEmptyLine) {
  const std::string text = request("A: b\r\n");
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_EQ(scan_head(std::string_view(text).substr(0, size), 0).kind, HeadScan::Kind::kMore) << size;
  for (std::size_t seen = 0; seen < text.size(); ++seen) {
    const auto scan = scan_head(text + "more\r\n\r\n", seen);
    EXPECT_EQ(scan.kind, HeadScan::Kind::kWhole);
    EXPECT_EQ(scan.size, text.size());
  }
  EXPECT_EQ(scan_head("GET / HTTP/1.1\n", 0).kind, HeadScan::Kind::kMalformed);
  EXPECT_EQ(scan_head("\r\nGET / HTTP/1.1\r\n", 0).kind, HeadScan::Kind::kMalformed);
}

TEST(Head, ListsAreJoinedOverLines) {
  const auto head = parse(request("Sec-WebSocket-Protocol: a, b\r\nSec-WebSocket-Protocol: ,c ,\r\n"));
  EXPECT_EQ(list_header(*head, "sec-websocket-protocol"), (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace http
