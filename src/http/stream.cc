#include "http/stream.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace http {

namespace asio = boost::asio;

void Stream::cancel() {
  boost::system::error_code ignored;
  socket().cancel(ignored);
}

void Stream::reset() {
  boost::system::error_code ignored;
  socket().set_option(asio::socket_base::linger(true, 0), ignored);
  socket().close(ignored);
}

Stream::Step PlainStream::handshake() { co_return boost::system::error_code{}; }

Stream::Transfer PlainStream::read_some(asio::mutable_buffer room) {
  return socket_.async_read_some(room, asio::as_tuple(asio::use_awaitable));
}

Stream::Transfer PlainStream::write_some(const Buffers& buffers) {
  return socket_.async_write_some(buffers, asio::as_tuple(asio::use_awaitable));
}

Stream::Step PlainStream::end() {
  boost::system::error_code failed;
  socket_.shutdown(Socket::shutdown_send, failed);
  co_return failed;
}

}  // namespace http
