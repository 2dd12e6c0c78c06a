#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/limits.h"
#include "http/stream.h"
#include "io/task.h"

namespace http {

// How long one more wait for a client may take: patience is used up by waiting, and won back by bytes.
class Pace {
 public:
  explicit Pace(const Limits& limits);
  io::Clock::time_point deadline(io::Clock::time_point now) const { return now + left_; }
  void spent(io::Clock::duration waited, std::size_t bytes);

 private:
  io::Clock::duration patience_;
  io::Clock::duration per_byte_;
  io::Clock::duration left_;
};

// A client's stream with what was read ahead of it, counted and with deadlines. Deadlines are looked at by
// sweep().
class Channel {
 public:
  using TimePoint = io::Clock::time_point;
  static constexpr TimePoint kNever = TimePoint::max();

  Channel(std::unique_ptr<Stream> stream, const Limits& limits);

  io::Task<> handshake(TimePoint by);

  // What came and was not consumed.
  std::string_view buffered() const { return {data_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t size);
  // Reads more behind it, at most `room` bytes. kUnavailable: the client is gone. kTimeout.
  io::Task<std::size_t> fill(std::size_t room, TimePoint by);
  // Reads past the buffer, which must be empty.
  io::Task<std::string> read_piece(std::size_t most, TimePoint by);
  // Gives memory back while nothing is buffered.
  void shrink();

  io::Task<> write(Buffers buffers);
  // Tells the client that this is all, and waits for it to go.
  io::Task<> linger();

  // Ends what takes too long.
  void sweep(TimePoint now);
  // How long a write may take that somebody else does on the stream.
  void write_by(TimePoint by) { write_by_ = by; }

  Stream& stream() { return *stream_; }
  const Limits& limits() const { return limits_; }
  std::uint64_t received() const { return received_; }
  std::uint64_t sent() const { return sent_; }
  Pace body_pace() const { return Pace(limits_); }

 private:
  base::Error error_of(const boost::system::error_code& error) const;
  void make_room(std::size_t room);

  std::unique_ptr<Stream> stream_;
  const Limits limits_;
  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  Pace write_pace_;
  TimePoint read_by_ = kNever;
  TimePoint write_by_ = kNever;
  bool is_late_ = false;
  std::uint64_t received_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace http
