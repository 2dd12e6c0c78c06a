#include "http/web_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/test_server.h"

namespace http {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Says everything back; ends when told "bye".
io::Task<> echo(Exchange& exchange) {
  const auto offered = exchange.subprotocols();
  const std::string chosen = offered.empty() ? "" : offered.front();
  CO_ASSIGN_OR_RETURN(const auto socket, co_await exchange.upgrade(chosen));
  while (true) {
    CO_ASSIGN_OR_RETURN(const WebSocket::Message message, co_await socket->receive());
    if (message.bytes == "bye") co_return co_await socket->close(1000, "as you wish");
    CO_RETURN_IF_ERROR(co_await socket->send(message.kind, message.bytes));
  }
}

io::Task<> answer(Exchange& exchange) { return echo(exchange); }

constexpr std::string_view kHandshake =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
    "dGhlIHNhbXBsZSBub25jZQ==\r\n";

// A client's frame, masked with zeros.
std::string frame(unsigned char first, std::string_view payload) {
  std::string text(1, static_cast<char>(first));
  if (payload.size() < 126) {
    text += static_cast<char>(0x80 | payload.size());
  } else {
    text += static_cast<char>(0x80 | 126);
    text += static_cast<char>(payload.size() >> 8);
    text += static_cast<char>(payload.size() & 0xff);
  }
  return text + std::string(4, '\0') + std::string(payload);
}

TEST(WebSocket, SpeaksBothWays) {
  TestServer server(answer);
  TestClient client(server.address());
  client.send(get("/", std::string(kHandshake) + "Sec-WebSocket-Protocol: one, two\r\n"));
  EXPECT_THAT(client.until("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 101"), HasSubstr("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
                    HasSubstr("X-Request-Id: "), HasSubstr("Sec-WebSocket-Protocol: one\r\n")));
  client.send(frame(0x81, "hello"));
  EXPECT_EQ(client.until("hello"), "\x81\x05hello");
  client.send(frame(0x02, "in two ") + frame(0x89, "ping") + frame(0x80, "parts"));
  EXPECT_EQ(client.until("parts"), "\x8a\x04ping\x82\x0cin two parts");
  client.send(frame(0x81, "bye"));
  EXPECT_EQ(client.until("as you wish"), std::string("\x88\x0d\x03\xe8", 4) + "as you wish");
  client.send(frame(0x88, "\x03\xe8"));
  EXPECT_EQ(client.rest(), "");
}

TEST(WebSocket, RefusesWhatIsNoHandshake) {
  TestServer server(answer);
  const auto ask = [&](const std::string& request) {
    TestClient client(server.address());
    client.send(request);
    return status_of(client.answer().head);
  };
  EXPECT_EQ(ask(get("/")), 400U);
  EXPECT_EQ(ask(get("/", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n")), 400U);
  EXPECT_EQ(ask(get("/", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n")),
            400U);
  EXPECT_EQ(ask(post("/", kHandshake, "")), 400U);
  EXPECT_EQ(ask(get("/", kHandshake) + frame(0x81, "early")), 400U);
  EXPECT_EQ(ask(get("/", std::string(kHandshake) + "Origin: http://evil.test\r\n")), 403U);
}

io::Task<> tunnel(Exchange& exchange) {
  const std::vector<Header> headers = {{"Sec-WebSocket-Accept", "x"}, {"Upgrade", "something else"}};
  CO_ASSIGN_OR_RETURN(Tunnel tunnel, co_await exchange.tunnel(headers));
  while (true) {
    CO_ASSIGN_OR_RETURN(const std::string bytes, co_await tunnel.receive());
    CO_RETURN_IF_ERROR(co_await tunnel.send(bytes));
  }
}

TEST(WebSocket, AProxySeesBytesAsTheyAre) {
  TestServer server([](Exchange& exchange) { return tunnel(exchange); });
  TestClient client(server.address());
  client.send(get("/", kHandshake));
  EXPECT_THAT(client.until("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 101"), HasSubstr("Upgrade: websocket\r\n"),
                    HasSubstr("Sec-WebSocket-Accept: x\r\n"), Not(HasSubstr("something else"))));
  client.send("any bytes");
  EXPECT_EQ(client.until("any bytes"), "any bytes");
  client.end();
  EXPECT_EQ(client.rest(), "");
  TestClient other(server.address());
  other.send(get("/"));
  EXPECT_EQ(status_of(other.answer().head), 400U);
}

TEST(WebSocket, BadFramesEndIt) {
  ServerOptions options;
  options.limits.web_socket_message_bytes = 1000;
  TestServer server(answer, std::move(options));
  for (const std::string& wrong :
       {std::string("\x81\x05hello"), frame(0x81, "\xff\xff"), frame(0x82, std::string(1001, 'x')),
        frame(0xc1, "reserved"), frame(0x80, "nothing to go on with")}) {
    TestClient client(server.address());
    client.send(get("/", kHandshake));
    EXPECT_THAT(client.until("\r\n\r\n"), StartsWith("HTTP/1.1 101"));
    client.send(wrong);
    const std::string rest = client.rest();
    EXPECT_TRUE(rest.empty() || rest[0] == '\x88' || rest == "RESET") << rest;
  }
}

TEST(WebSocket, AClientThatDoesNotAnswerPingsIsDropped) {
  ServerOptions options;
  options.limits.web_socket_idle = std::chrono::milliseconds(50);
  TestServer server(answer, std::move(options));
  TestClient client(server.address());
  client.send(get("/", kHandshake));
  EXPECT_THAT(client.until("\r\n\r\n"), StartsWith("HTTP/1.1 101"));
  EXPECT_THAT(client.rest(), StartsWith("\x89"));
}

}  // namespace
}  // namespace http
