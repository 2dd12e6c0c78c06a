// For tests: a server on a thread of its own, and clients that send bytes and see bytes.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http/server.h"
#include "io/loop.h"
#include "io/task_group.h"
#include "sys/fd.h"
#include "sys/socket.h"

namespace http {

class TestServer {
 public:
  explicit TestServer(Handler handler, ServerOptions options = {}, std::string_view address = "127.0.0.1:0")
      : closers_(loop_, [](std::string_view, const base::Error& error) { ADD_FAILURE() << error.message; }) {
    options.address = *Address::parse(address);
    auto server = Server::listen(loop_, std::move(options), std::move(handler));
    if (!server) {
      ADD_FAILURE() << server.error().message;
      return;
    }
    server_ = *std::move(server);
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~TestServer() {
    if (!server_) return;
    close(std::chrono::milliseconds(0));
    thread_.join();
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  Address address() const { return server_->address(); }
  // Begins to close; the destructor waits for the end of it.
  void close(std::chrono::milliseconds grace) {
    loop_.post([this, grace] { closers_.spawn("close", server_->close(grace)); });
  }

 private:
  io::Loop loop_;
  io::TaskGroup closers_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

class TestClient {
 public:
  explicit TestClient(const Address& address) {
    if (address.kind == Address::Kind::kUnix) {
      if (auto socket = sys::connect_unix(address.host, SOCK_STREAM)) socket_ = *std::move(socket);
      return;
    }
    socket_ = sys::UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in in{.sin_family = AF_INET, .sin_port = htons(address.port)};
    ::inet_pton(AF_INET, "127.0.0.1", &in.sin_addr);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&in), sizeof in), 0);
    // A test that would hang fails instead.
    const timeval patience{.tv_sec = 20};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  int fd() const { return socket_.get(); }
  void hang_up() { socket_.reset(); }
  void end() { ::shutdown(socket_.get(), SHUT_WR); }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // what the server then says is what the test looks at
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // Everything until the server ends; "RESET" at its end when that was not orderly.
  std::string rest() {
    while (read_more()) {
    }
    return std::exchange(input_, {}) + (was_reset_ ? "RESET" : "");
  }

  // As far as `end`, that included.
  std::string until(std::string_view end) {
    while (input_.find(end) == std::string::npos)
      if (!read_more()) return std::exchange(input_, {}) + "ENDED";
    return take(input_.find(end) + end.size());
  }

  struct Answer {
    std::string head;
    std::string body;
  };
  // One with a Content-Length.
  Answer answer() {
    Answer answer{.head = until("\r\n\r\n")};
    const auto at = answer.head.find("Content-Length: ");
    if (at == std::string::npos) return answer;
    const std::size_t size = std::stoul(answer.head.substr(at + 16));
    while (input_.size() < size)
      if (!read_more()) break;
    answer.body = take(size);
    return answer;
  }

 private:
  std::string take(std::size_t size) {
    std::string taken = input_.substr(0, size);
    input_.erase(0, size);
    return taken;
  }
  bool read_more() {
    char bytes[16384];
    const auto size = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (size < 0) was_reset_ = true;
    if (size <= 0) return false;
    input_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }

  sys::UniqueFd socket_;
  std::string input_;
  bool was_reset_ = false;
};

// A request with nothing special about it.
inline std::string get(std::string_view path, std::string_view headers = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n";
}
inline std::string post(std::string_view path, std::string_view headers, std::string_view body) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n" +
         std::string(body);
}
inline unsigned status_of(std::string_view answer) {
  return answer.starts_with("HTTP/1.1 ") ? static_cast<unsigned>(std::stoul(std::string(answer.substr(9, 3))))
                                         : 0;
}

}  // namespace http
