#include "http/tunnel.h"

#include "http/channel.h"

namespace http {

io::Task<std::string> Tunnel::receive() {
  if (!channel_->buffered().empty()) {
    std::string ahead(channel_->buffered());
    channel_->consume(ahead.size());
    co_return ahead;
  }
  co_return co_await channel_->read_piece(64 << 10, Channel::kNever);
}

io::Task<> Tunnel::send(std::string_view bytes) {
  const Buffers buffers = {boost::asio::buffer(bytes)};
  co_return co_await channel_->write(buffers);
}

}  // namespace http
