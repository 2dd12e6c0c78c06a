#include "http/channel.h"

#include <algorithm>
#include <cstring>

namespace http {

namespace asio = boost::asio;
using io::Clock;

Pace::Pace(const Limits& limits)
    : patience_(limits.patience),
      per_byte_(Clock::duration(std::chrono::seconds(1)) /
                static_cast<long>(std::max<std::size_t>(limits.bytes_per_second, 1))),
      left_(patience_) {}

void Pace::spent(Clock::duration waited, std::size_t bytes) {
  const auto won = per_byte_ * static_cast<long>(std::min<std::size_t>(bytes, 1 << 30));
  left_ = std::min(patience_, left_ - waited + won);
}

Channel::Channel(std::unique_ptr<Stream> stream, const Limits& limits)
    : stream_(std::move(stream)), limits_(limits), write_pace_(limits) {}

base::Error Channel::error_of(const boost::system::error_code& error) const {
  if (is_late_) return {base::Code::kTimeout, "the client is too slow"};
  return {base::Code::kUnavailable, "the client is gone: " + error.message(), error.value()};
}

io::Task<> Channel::handshake(TimePoint by) {
  read_by_ = by;
  const auto [failed] = co_await stream_->handshake();
  read_by_ = kNever;
  if (failed) co_return std::unexpected(error_of(failed));
  co_return base::Result<>();
}

void Channel::consume(std::size_t size) {
  begin_ += size;
  if (begin_ == end_) begin_ = end_ = 0;
}

void Channel::make_room(std::size_t room) {
  if (capacity_ - end_ >= room) return;
  const std::size_t kept = end_ - begin_;
  if (capacity_ - kept >= room) {
    std::memmove(data_.get(), data_.get() + begin_, kept);
  } else {
    const std::size_t capacity = kept + room;
    auto data = std::make_unique_for_overwrite<char[]>(capacity);
    if (kept > 0) std::memcpy(data.get(), data_.get() + begin_, kept);
    data_ = std::move(data);
    capacity_ = capacity;
  }
  begin_ = 0;
  end_ = kept;
}

void Channel::shrink() {
  constexpr std::size_t kKept = 8 << 10;
  if (begin_ != end_ || capacity_ <= kKept) return;
  data_.reset();
  capacity_ = begin_ = end_ = 0;
}

io::Task<std::size_t> Channel::fill(std::size_t room, TimePoint by) {
  make_room(room);
  read_by_ = by;
  const auto [failed, size] = co_await stream_->read_some(asio::buffer(data_.get() + end_, room));
  read_by_ = kNever;
  end_ += size;
  received_ += size;
  if (failed) co_return std::unexpected(error_of(failed));
  is_late_ = false;
  co_return size;
}

io::Task<std::string> Channel::read_piece(std::size_t most, TimePoint by) {
  std::string piece;
  piece.resize_and_overwrite(most, [](char*, std::size_t size) { return size; });
  read_by_ = by;
  const auto [failed, size] = co_await stream_->read_some(asio::buffer(piece));
  read_by_ = kNever;
  received_ += size;
  if (failed) co_return std::unexpected(error_of(failed));
  is_late_ = false;
  piece.resize(size);
  co_return piece;
}

io::Task<> Channel::write(Buffers buffers) {
  std::size_t left = asio::buffer_size(buffers);
  is_late_ = false;
  while (left > 0) {
    const auto start = Clock::now();
    write_by_ = write_pace_.deadline(start);
    const auto [failed, size] = co_await stream_->write_some(buffers);
    write_by_ = kNever;
    write_pace_.spent(Clock::now() - start, size);
    sent_ += size;
    left -= size;
    if (failed) co_return std::unexpected(error_of(failed));
    std::size_t done = size;
    for (asio::const_buffer& buffer : buffers) {
      const std::size_t part = std::min(done, buffer.size());
      buffer += part;
      done -= part;
    }
  }
  co_return base::Result<>();
}

io::Task<> Channel::linger() {
  const auto by = Clock::now() + limits_.linger;
  read_by_ = by;
  const auto [failed] = co_await stream_->end();
  read_by_ = kNever;
  if (failed || stream_->is_encrypted()) co_return base::Result<>();
  // Closing with unread bytes would reset the connection, and the client might never see the answer.
  while (Clock::now() < by) {
    consume(buffered().size());
    CO_RETURN_IF_ERROR(co_await fill(16 << 10, by));
  }
  co_return base::Result<>();
}

void Channel::sweep(TimePoint now) {
  if (now < read_by_ && now < write_by_) return;
  is_late_ = true;
  stream_->cancel();
}

}  // namespace http
