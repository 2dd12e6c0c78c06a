#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <tuple>

namespace http {

// Of TCP or unix.
using Socket = boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol,
                                                boost::asio::io_context::executor_type>;
// What is sent with one call; those that are empty do not count.
using Buffers = std::array<boost::asio::const_buffer, 3>;

// Bytes to and from a client, encrypted or not. One read and one write at a time, each beside the other.
class Stream {
 public:
  using Transfer = boost::asio::awaitable<std::tuple<boost::system::error_code, std::size_t>>;
  using Step = boost::asio::awaitable<std::tuple<boost::system::error_code>>;

  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  virtual Step handshake() = 0;
  virtual Transfer read_some(boost::asio::mutable_buffer room) = 0;
  virtual Transfer write_some(const Buffers& buffers) = 0;
  // Tells the client that nothing more will come.
  virtual Step end() = 0;
  virtual bool is_encrypted() const = 0;
  virtual Socket& socket() = 0;

  // What is under way ends with operation_aborted.
  void cancel();
  // So that the client cannot take what it got for the whole.
  void reset();

 protected:
  Stream() = default;
};

class PlainStream final : public Stream {
 public:
  explicit PlainStream(Socket socket) : socket_(std::move(socket)) {}

  Step handshake() override;
  Transfer read_some(boost::asio::mutable_buffer room) override;
  Transfer write_some(const Buffers& buffers) override;
  Step end() override;
  bool is_encrypted() const override { return false; }
  Socket& socket() override { return socket_; }

 private:
  Socket socket_;
};

}  // namespace http
