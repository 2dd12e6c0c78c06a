#include "http/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "http/test_server.h"
#include "sys/run_program.h"
#include "sys/temp_dir.h"

namespace http {
namespace {

using testing::HasSubstr;

io::Task<> answer(Exchange& exchange) {
  CO_ASSIGN_OR_RETURN(std::string body, co_await exchange.whole_body(8 << 20));
  body += exchange.is_encrypted() ? " encrypted" : " plain";
  co_return co_await exchange.reply(response_of(200, "text/plain", std::move(body)));
}

io::Task<> say_once(Exchange& exchange) {
  CO_ASSIGN_OR_RETURN(const auto socket, co_await exchange.upgrade());
  CO_ASSIGN_OR_RETURN(const WebSocket::Message message, co_await socket->receive());
  CO_RETURN_IF_ERROR(co_await socket->send(message.kind, message.bytes));
  co_return co_await socket->close(1000, "");
}

// A certificate that nobody but the test believes.
struct Certificate {
  Certificate() : directory(*sys::TempDir::make()) {
    files = {directory / "certificate.pem", directory / "key.pem"};
    const auto made = sys::run_program(
        {"/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "2", "-subj", "/CN=localhost", "-keyout", files.key_file, "-out", files.certificate_file},
        STDERR_FILENO);
    EXPECT_TRUE(made.has_value()) << made.error().message;
  }
  sys::TempDir directory;
  Tls files;
};

// A client that encrypts what a TestClient sends plainly.
class TlsClient {
 public:
  TlsClient(const Address& address, int highest_version)
      : client_(address),
        context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free),
        ssl_(SSL_new(context_.get()), SSL_free) {
    SSL_set_max_proto_version(ssl_.get(), highest_version);
    SSL_set_fd(ssl_.get(), client_.fd());
    is_connected_ = SSL_connect(ssl_.get()) == 1;
  }
  bool is_connected() const { return is_connected_; }
  void send(std::string_view bytes) {
    EXPECT_EQ(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())), bytes.size());
  }
  std::string until(std::string_view end) {
    std::string input;
    char bytes[4096];
    while (input.find(end) == std::string::npos) {
      const int size = SSL_read(ssl_.get(), bytes, sizeof bytes);
      if (size <= 0) return input + "ENDED";
      input.append(bytes, static_cast<std::size_t>(size));
    }
    return input;
  }
  // Whether the server said goodbye, or just left.
  bool ends_orderly() {
    char byte = 0;
    return SSL_read(ssl_.get(), &byte, 1) == 0 && (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }

 private:
  TestClient client_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  bool is_connected_ = false;
};

TEST(Tls, ServesEncrypted) {
  const Certificate certificate;
  TestServer server(answer, {.tls = certificate.files});
  TlsClient client(server.address(), TLS1_3_VERSION);
  ASSERT_TRUE(client.is_connected());
  const std::string large(1 << 20, 'x');
  client.send(post("/", "Content-Length: " + std::to_string(large.size()) + "\r\n", large));
  EXPECT_THAT(client.until(" encrypted"), HasSubstr("\r\n\r\n" + large + " encrypted"));
  client.send(get("/", "Connection: close\r\n"));
  EXPECT_THAT(client.until(" encrypted"), HasSubstr("HTTP/1.1 200 OK"));
  EXPECT_TRUE(client.ends_orderly());
}

TEST(Tls, WebSocketsAreEncryptedToo) {
  const Certificate certificate;
  TestServer server([](Exchange& exchange) { return say_once(exchange); }, {.tls = certificate.files});
  TlsClient client(server.address(), TLS1_3_VERSION);
  ASSERT_TRUE(client.is_connected());
  client.send(get("/",
                  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
  EXPECT_THAT(client.until("\r\n\r\n"), HasSubstr("HTTP/1.1 101"));
  client.send(std::string("\x81\x85\0\0\0\0hello", 11));
  EXPECT_THAT(client.until("hello"), HasSubstr("\x81\x05hello"));
}

TEST(Tls, RefusesOldVersionsAndPlainText) {
  const Certificate certificate;
  TestServer server(answer, {.tls = certificate.files});
  EXPECT_FALSE(TlsClient(server.address(), TLS1_1_VERSION).is_connected());
  EXPECT_TRUE(TlsClient(server.address(), TLS1_2_VERSION).is_connected());
  TestClient plain(server.address());
  plain.send(get("/"));
  EXPECT_EQ(plain.rest().find("HTTP"), std::string::npos);
}

TEST(Tls, WrongFilesAreNamed) {
  const Certificate one;
  const Certificate other;
  const auto missing = TlsContext::load({"/no/such/file", one.files.key_file});
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, HasSubstr("/no/such/file"));
  EXPECT_FALSE(TlsContext::load({one.files.certificate_file, other.files.key_file}));
  EXPECT_TRUE(TlsContext::load(one.files));
}

}  // namespace
}  // namespace http
