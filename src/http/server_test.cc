#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/test_server.h"
#include "sys/temp_dir.h"

namespace http {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

io::Task<> say(Exchange& exchange, std::string text) {
  co_return co_await exchange.reply(response_of(200, "text/plain", std::move(text)));
}

io::Task<> echo(Exchange& exchange) {
  auto body = co_await exchange.whole_body(1 << 20);
  if (!body && body.error().code == base::Code::kExhausted)
    co_return co_await exchange.reply(problem_response({413, "too_large", body.error().message}));
  CO_RETURN_IF_ERROR(body);
  co_return co_await say(exchange, *std::move(body));
}

io::Task<> count(Exchange& exchange) {
  std::size_t size = 0;
  while (true) {
    CO_ASSIGN_OR_RETURN(const std::string piece, co_await exchange.next_piece());
    if (piece.empty()) break;
    size += piece.size();
  }
  co_return co_await say(exchange, std::to_string(size));
}

io::Task<> stream(Exchange& exchange, std::optional<std::uint64_t> length) {
  CO_RETURN_IF_ERROR(co_await exchange.begin({}, length));
  CO_RETURN_IF_ERROR(co_await exchange.send("hello "));
  CO_RETURN_IF_ERROR(co_await exchange.send("world"));
  if (exchange.query("leave")) co_return base::Result<>();
  co_return co_await exchange.finish();
}

io::Task<> flood(Exchange& exchange) {
  CO_RETURN_IF_ERROR(co_await exchange.begin({}));
  const std::string piece(256 << 10, 'x');
  while (true) CO_RETURN_IF_ERROR(co_await exchange.send(piece));
}

io::Task<> wait(Exchange& exchange) {
  CO_RETURN_IF_ERROR(co_await exchange.begin({}));
  CO_RETURN_IF_ERROR(co_await exchange.send("waiting"));
  CO_RETURN_IF_ERROR(co_await exchange.until_gone());
  co_return co_await exchange.finish();
}

// Gives up on a part of its answer, and goes on as if nothing had happened.
io::Task<> cut(Exchange& exchange) {
  CO_RETURN_IF_ERROR(co_await exchange.begin({}));
  {
    const std::string large(64 << 20, 'x');
    const auto sent = co_await exchange.send(large);
    if (!sent && sent.error().code != base::Code::kTimeout) co_return sent;
  }
  const auto more = co_await exchange.send("more");
  if (more) co_return base::fail(base::Code::kInternal, "sent more");
  const auto finished = co_await exchange.finish();
  if (finished) co_return base::fail(base::Code::kInternal, "finished");
  co_return base::fail(base::Code::kUnavailable, "refused to go on");
}

io::Task<> fail() { co_return base::fail(base::Code::kInternal, "secret path /x"); }
io::Task<> nothing() { co_return base::Result<>(); }

io::Task<> answer(Exchange& exchange) {
  const std::string_view path = exchange.raw_path();
  if (path == "/echo") return echo(exchange);
  if (path == "/count") return count(exchange);
  if (path == "/chunks") return stream(exchange, std::nullopt);
  if (path == "/sized") return stream(exchange, 11);
  if (path == "/flood") return flood(exchange);
  if (path == "/cut") return cut(exchange);
  if (path == "/wait") return wait(exchange);
  if (path == "/fail") return fail();
  if (path == "/nothing") return nothing();
  if (path == "/big") return say(exchange, std::string(1 << 20, 'b'));
  if (path == "/split") return exchange.reply({200, {{"X-Evil", "a\r\nSet-Cookie: b"}}, ""});
  return say(exchange, "hello");
}

ServerOptions hasty() {
  ServerOptions options;
  options.limits.head_deadline = options.limits.idle = options.limits.patience = options.limits.linger =
      milliseconds(50);
  options.limits.tick = milliseconds(5);
  return options;
}

TEST(Server, AnswersRequestsOneAfterTheOther) {
  TestServer server(answer);
  TestClient client(server.address());
  for (int i = 0; i < 3; ++i) {
    client.send(get("/"));
    const auto got = client.answer();
    EXPECT_EQ(status_of(got.head), 200U);
    EXPECT_EQ(got.body, "hello");
    EXPECT_THAT(got.head, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(got.head, HasSubstr("X-Request-Id: "));
    EXPECT_THAT(got.head, Not(HasSubstr("Connection:")));
  }
}

TEST(Server, PipelinedRequestsAreAnsweredInOrder) {
  TestServer server(answer);
  TestClient client(server.address());
  client.send(post("/echo", "Content-Length: 1\r\n", "a") + get("/") +
              post("/echo", "Transfer-Encoding: chunked\r\n", "1\r\nb\r\n0\r\n\r\n") +
              get("/", "Connection: close\r\n"));
  EXPECT_EQ(client.answer().body, "a");
  EXPECT_EQ(client.answer().body, "hello");
  EXPECT_EQ(client.answer().body, "b");
  const auto last = client.answer();
  EXPECT_THAT(last.head, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(client.rest(), "");
}

TEST(Server, ARequestMayComeByteByByte) {
  TestServer server(answer);
  TestClient client(server.address());
  for (const char c : post("/echo", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"))
    client.send({&c, 1});
  EXPECT_EQ(client.answer().body, "hello");
}

TEST(Server, StreamsWithAndWithoutALength) {
  TestServer server(answer);
  TestClient client(server.address());
  client.send(get("/sized") + get("/chunks"));
  EXPECT_EQ(client.answer().body, "hello world");
  EXPECT_THAT(client.until("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_EQ(client.until("0\r\n\r\n"), "6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n");
  client.send("HEAD /sized HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.until("\r\n\r\n"), HasSubstr("Content-Length: 11"));
  EXPECT_THAT(client.until("\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Length: 5")));
}

TEST(Server, AnAnswerThatIsNotFinishedBreaksTheConnection) {
  TestServer server(answer);
  for (const auto* path : {"/sized?leave", "/chunks?leave"}) {
    TestClient client(server.address());
    client.send(get(path));
    EXPECT_THAT(client.rest(), AllOf(Not(HasSubstr("\r\n0\r\n")), EndsWith("RESET")));
  }
}

TEST(Server, SpeaksWithOldClients) {
  TestServer server(answer);
  TestClient client(server.address());
  client.send("GET /chunks HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.rest(), EndsWith("\r\n\r\nhello world"));
}

TEST(Server, LargeBodiesGoBothWays) {
  TestServer server(answer);
  TestClient client(server.address());
  const std::string large(3 << 20, 'l');
  client.send(post("/count", "Content-Length: " + std::to_string(large.size()) + "\r\n", large));
  EXPECT_EQ(client.answer().body, std::to_string(large.size()));
  client.send(get("/big"));
  EXPECT_EQ(client.answer().body, std::string(1 << 20, 'b'));
}

TEST(Server, TellsAClientThatWaitsToGoOn) {
  TestServer server(answer);
  TestClient client(server.address());
  client.send(post("/echo", "Content-Length: 2\r\nExpect: 100-continue\r\n", ""));
  EXPECT_EQ(client.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");
  EXPECT_EQ(client.answer().body, "ok");
  // One whose body nobody wants is not told, and has to start over.
  client.send(post("/", "Content-Length: 2\r\nExpect: 100-continue\r\n", ""));
  EXPECT_THAT(client.answer().head, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Connection: close")));
  EXPECT_EQ(client.rest(), "");
}

TEST(Server, BodiesThatNobodyReadDoNotBecomeRequests) {
  TestServer server(answer);
  TestClient client(server.address());
  const std::string smuggled = get("/smuggled");
  client.send(post("/", "Content-Length: " + std::to_string(smuggled.size()) + "\r\n", smuggled) + get("/"));
  EXPECT_EQ(client.answer().body, "hello");
  EXPECT_EQ(client.answer().body, "hello");
  client.send(post("/", "Content-Length: 10000000\r\n", smuggled));
  EXPECT_THAT(client.answer().head, HasSubstr("Connection: close"));
  client.end();
  EXPECT_EQ(client.rest(), "");
}

TEST(Server, BodiesAreBounded) {
  TestServer server(answer);
  TestClient sized(server.address());
  sized.send(post("/echo", "Content-Length: 1048577\r\n", ""));
  EXPECT_EQ(status_of(sized.answer().head), 413U);
  TestClient chunked(server.address());
  chunked.send(post("/echo", "Transfer-Encoding: chunked\r\n", "100001\r\n" + std::string(0x100001, 'x')));
  EXPECT_EQ(status_of(chunked.answer().head), 413U);
  TestClient fits(server.address());
  fits.send(post("/echo", "Transfer-Encoding: chunked\r\n",
                 "100000\r\n" + std::string(0x100000, 'x') + "\r\n0\r\n\r\n"));
  EXPECT_EQ(fits.answer().body.size(), 0x100000U);
}

TEST(Server, WhatIsMalformedIsRefusedAndEndsTheConnection) {
  TestServer server(answer);
  const std::string next = get("/next");
  for (const std::string& wrong :
       {std::string("GET / HTTP/1.1\nHost: localhost\n\n"), std::string("\r\n"), get("/", "A : b\r\n"),
        get("/", "A: b\r\n c\r\n"), get("http://localhost/"),
        post("/", "Content-Length: 1\r\nContent-Length: 1\r\n", "x"),
        post("/", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")}) {
    TestClient client(server.address());
    client.send(wrong + next);
    const auto got = client.answer();
    EXPECT_EQ(status_of(got.head), 400U) << wrong;
    EXPECT_THAT(got.head,
                AllOf(HasSubstr("Connection: close"), HasSubstr("X-Request-Id: "), HasSubstr("no-store")));
    EXPECT_THAT(got.body, StartsWith(R"({"error":{"code":"bad_request","message":")"));
    EXPECT_EQ(client.rest(), "") << wrong;
  }
}

TEST(Server, AChunkThatIsMalformedEndsTheConnection) {
  TestServer server(answer);
  TestClient client(server.address());
  client.send(post("/echo", "Transfer-Encoding: chunked\r\n", "5;a=b\r\nhello\r\n0\r\n\r\n") + get("/next"));
  EXPECT_EQ(status_of(client.answer().head), 500U);  // what the handler makes of it is its business
  EXPECT_EQ(client.rest(), "");
}

TEST(Server, HeadsAreBounded) {
  TestServer server(answer);
  const std::string most(30 << 10, 'a');
  TestClient fits(server.address());
  fits.send(get("/", "X: " + most + "\r\n"));
  EXPECT_EQ(fits.answer().body, "hello");
  for (const std::string& large : {get("/", "X: " + most + most + "\r\n"), "GET /" + most + most}) {
    TestClient client(server.address());
    client.send(large);
    EXPECT_EQ(status_of(client.answer().head), 431U);
  }
}

TEST(Server, HostsAndOriginsAreJudgedBeforeTheHandler) {
  TestServer server(answer, {.names = {.hosts = {"cove.test"}}});
  const auto ask = [&](std::string_view headers) {
    TestClient client(server.address());
    client.send("GET / HTTP/1.1\r\n" + std::string(headers) + "\r\n");
    return status_of(client.answer().head);
  };
  EXPECT_EQ(ask("Host: cove.test\r\n"), 200U);
  EXPECT_EQ(ask("Host: localhost:1\r\nOrigin: http://localhost:1\r\n"), 200U);
  EXPECT_EQ(ask("Host: evil.test\r\n"), 421U);
  EXPECT_EQ(ask(""), 400U);
  EXPECT_EQ(ask("Host: localhost\r\nOrigin: http://evil.test\r\n"), 403U);
  EXPECT_EQ(ask("Host: localhost\r\nOrigin: null\r\n"), 403U);
}

TEST(Server, AFailureOfTheHandlerTellsNothingOfTheInside) {
  std::promise<std::string> logged;
  ServerOptions options;
  options.log = [&](const AccessRecord& record) { logged.set_value(std::string(record.error)); };
  TestServer server(answer, std::move(options));
  TestClient client(server.address());
  client.send(get("/fail"));
  const auto got = client.answer();
  EXPECT_EQ(status_of(got.head), 500U);
  EXPECT_THAT(got.body, AllOf(HasSubstr(R"("code":"internal")"), Not(HasSubstr("secret"))));
  EXPECT_EQ(logged.get_future().get(), "secret path /x");
}

TEST(Server, AHandlerThatSaysNothingIsAFailure) {
  TestServer server(answer);
  TestClient client(server.address());
  client.send(get("/nothing") + get("/split") + get("/"));
  EXPECT_EQ(status_of(client.answer().head), 500U);
  const auto split = client.answer();
  EXPECT_EQ(status_of(split.head), 500U);
  EXPECT_THAT(split.head, Not(HasSubstr("Set-Cookie")));
  EXPECT_EQ(client.answer().body, "hello");
}

TEST(Server, LogsWhatAnExchangeCameTo) {
  std::promise<AccessRecord> logged;
  ServerOptions options;
  options.log = [&](const AccessRecord& record) {
    EXPECT_EQ(record.method, "POST");
    EXPECT_EQ(record.path, "/echo");  // without the query, which may hold a signature
    EXPECT_EQ(record.peer, "127.0.0.1");
    logged.set_value(record);
  };
  TestServer server(answer, std::move(options));
  TestClient client(server.address());
  const std::string request = post("/echo?secret=1", "Content-Length: 5\r\n", "hello");
  client.send(request);
  const auto got = client.answer();
  const auto record = logged.get_future().get();
  EXPECT_EQ(record.status, 200U);
  EXPECT_EQ(record.bytes_in, request.size());
  EXPECT_EQ(record.bytes_out, got.head.size() + got.body.size());
}

TEST(Server, SlowHeadsAndBodiesAreCut) {
  TestServer server(answer, hasty());
  TestClient head(server.address());
  head.send("GET / HTTP/1.1\r\nHost: ");
  EXPECT_EQ(status_of(head.rest()), 408U);
  TestClient body(server.address());
  body.send(post("/echo", "Content-Length: 5\r\n", "h"));
  EXPECT_EQ(status_of(body.rest()), 408U);
  TestClient idle(server.address());
  idle.send(get("/"));
  EXPECT_EQ(idle.answer().body, "hello");
  EXPECT_EQ(idle.rest(), "");
  TestClient silent(server.address());
  EXPECT_EQ(silent.rest(), "");
}

TEST(Server, AClientThatTakesNothingIsCut) {
  std::promise<std::string> logged;
  ServerOptions options = hasty();
  options.log = [&](const AccessRecord& record) { logged.set_value(std::string(record.error)); };
  TestServer server(answer, std::move(options));
  TestClient client(server.address());
  client.send(get("/flood"));
  EXPECT_EQ(logged.get_future().get(), "the client is too slow");
}

TEST(Server, NothingFollowsAPartThatWasNotSentWhole) {
  std::promise<std::string> logged;
  ServerOptions options = hasty();
  options.log = [&](const AccessRecord& record) { logged.set_value(std::string(record.error)); };
  TestServer server(answer, std::move(options));
  TestClient client(server.address());
  client.send(get("/cut"));
  EXPECT_EQ(logged.get_future().get(), "refused to go on");
  EXPECT_THAT(client.rest(), Not(HasSubstr("more")));
}

TEST(Server, NoticesThatAClientHungUp) {
  std::promise<void> noticed;
  ServerOptions options;
  options.log = [&](const AccessRecord&) { noticed.set_value(); };
  TestServer server(answer, std::move(options));
  TestClient client(server.address());
  client.send(get("/wait"));
  EXPECT_THAT(client.until("waiting"), EndsWith("waiting"));
  client.hang_up();
  noticed.get_future().get();
}

TEST(Server, ClosesIdleConnectionsAndLetsStreamsFinish) {
  TestServer server(answer);
  TestClient idle(server.address());
  idle.send(get("/"));
  EXPECT_EQ(idle.answer().body, "hello");
  TestClient waiting(server.address());
  waiting.send(get("/wait"));
  EXPECT_THAT(waiting.until("waiting\r\n"), EndsWith("waiting\r\n"));
  server.close(std::chrono::hours(1));
  EXPECT_EQ(idle.rest(), "");
  EXPECT_EQ(waiting.rest(), "0\r\n\r\n");
}

TEST(Server, CutsWhatOutlastsTheGrace) {
  TestServer server(answer);
  TestClient client(server.address());
  client.send(post("/echo", "Content-Length: 5\r\nExpect: 100-continue\r\n", ""));
  EXPECT_THAT(client.until("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  server.close(milliseconds(1));
  EXPECT_THAT(client.rest(), Not(HasSubstr("200")));
}

TEST(Server, TooManyConnectionsAreTold) {
  ServerOptions options;
  options.limits.connections = 1;
  TestServer server(answer, std::move(options));
  TestClient first(server.address());
  first.send(get("/"));
  EXPECT_EQ(first.answer().body, "hello");
  TestClient second(server.address());
  EXPECT_THAT(second.rest(), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1\r\n"),
                                   HasSubstr(R"("details":{})")));
  first.send(get("/"));
  EXPECT_EQ(first.answer().body, "hello");
}

TEST(Server, ListensOnAUnixSocketAndTakesAStaleOneOver) {
  const auto directory = sys::TempDir::make();
  ASSERT_TRUE(directory.has_value());
  const std::string path = directory->path() + "/api.sock";
  {
    const auto stale = sys::listen_unix(path, SOCK_STREAM);
    ASSERT_TRUE(stale.has_value());
  }
  TestServer server(answer, {}, "unix:" + path);
  TestClient client(server.address());
  client.send(get("/"));
  EXPECT_EQ(client.answer().body, "hello");
  io::Loop loop;
  const auto second = Server::listen(loop, {.address = server.address()}, answer);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, base::Code::kConflict);
}

TEST(Server, AnAddressThatIsTakenIsTold) {
  TestServer server(answer);
  io::Loop loop;
  const auto second = Server::listen(loop, {.address = server.address()}, answer);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, base::Code::kConflict);
  EXPECT_THAT(second.error().message, HasSubstr(server.address().text()));
}

}  // namespace
}  // namespace http
