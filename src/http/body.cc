#include "http/body.h"

#include <algorithm>
#include <utility>

namespace http {

using io::Clock;

namespace {
constexpr std::size_t kPiece = 64 << 10;
}

BodyReader::BodyReader(Channel& channel, const Head& head)
    : channel_(channel),
      pace_(channel.body_pace()),
      is_chunked_(head.is_chunked),
      is_done_(!head.has_body()),
      is_awaited_(head.expects_continue),
      left_(head.content_length.value_or(0)) {}

io::Task<> BodyReader::invite() {
  if (!is_awaited_) co_return base::Result<>();
  is_awaited_ = false;
  if (!channel_.buffered().empty()) co_return base::Result<>();
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const Buffers buffers = {boost::asio::buffer(kContinue)};
  co_return co_await channel_.write(buffers);
}

io::Task<std::string> BodyReader::next() {
  if (is_done_) co_return std::string();
  // Where the request ends is unknown from the first error on.
  const bool was_broken = std::exchange(is_broken_, true);
  if (was_broken) co_return base::fail(base::Code::kUnavailable, "the rest of the body cannot be read");
  CO_ASSIGN_OR_RETURN(std::string piece, co_await read_next());
  is_broken_ = false;
  co_return piece;
}

io::Task<std::string> BodyReader::read_next() {
  CO_RETURN_IF_ERROR(co_await invite());
  if (is_chunked_) co_return co_await next_chunk();
  co_return co_await next_of_length();
}

io::Task<std::string> BodyReader::next_of_length() {
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPiece));
  std::string piece;
  if (const auto ahead = channel_.buffered().substr(0, most); !ahead.empty()) {
    piece = ahead;
    channel_.consume(piece.size());
  } else {
    const auto start = Clock::now();
    CO_ASSIGN_OR_RETURN(piece, co_await channel_.read_piece(most, pace_.deadline(start)));
    pace_.spent(Clock::now() - start, piece.size());
  }
  left_ -= piece.size();
  is_done_ = left_ == 0;
  co_return piece;
}

io::Task<std::string> BodyReader::next_chunk() {
  while (true) {
    CO_ASSIGN_OR_RETURN(const ChunkedDecoder::Step step, chunks_.feed(channel_.buffered()));
    std::string piece(step.data);
    channel_.consume(step.consumed);
    is_done_ = chunks_.is_done();
    if (is_done_ || !piece.empty()) co_return piece;
    const auto start = Clock::now();
    CO_ASSIGN_OR_RETURN(const std::size_t size, co_await channel_.fill(kPiece, pace_.deadline(start)));
    pace_.spent(Clock::now() - start, size);
  }
}

bool BodyReader::is_drainable() const {
  if (is_done_) return true;
  return !is_broken_ && !is_chunked_ && !is_awaited_ && left_ <= channel_.limits().drained_bytes;
}

io::Task<> BodyReader::drain() {
  while (!is_done_) CO_RETURN_IF_ERROR(co_await next());
  co_return base::Result<>();
}

}  // namespace http
