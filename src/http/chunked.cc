#include "http/chunked.h"

#include <algorithm>

namespace http {

namespace {
std::unexpected<base::Error> malformed(std::string_view why) {
  return base::fail(base::Code::kInvalid, "malformed chunked body: " + std::string(why));
}
}  // namespace

base::Result<> ChunkedDecoder::take_digit(char c) {
  unsigned digit = 0;
  if (c >= '0' && c <= '9') {
    digit = static_cast<unsigned>(c - '0');
  } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
    digit = static_cast<unsigned>((c | 0x20) - 'a' + 10);
  } else if (c == '\r' && digits_ > 0) {
    state_ = State::kSizeEnd;
    return {};
  } else {
    return malformed(c == ';' ? "chunk extensions are not served"
                              : "a chunk begins with its size in hex and CR LF");
  }
  if (++digits_ > 15) return malformed("the size of a chunk has at most 15 digits");
  left_ = left_ * 16 + digit;
  return {};
}

base::Result<> ChunkedDecoder::take(char c) {
  const auto expect = [&](char wanted, State next) -> base::Result<> {
    if (c != wanted)
      return malformed(state_ == State::kLastEnd ? "trailers are not served" : "CR LF is missing");
    state_ = next;
    return {};
  };
  switch (state_) {
    case State::kSize:
      return take_digit(c);
    case State::kSizeEnd:
      return expect('\n', left_ == 0 ? State::kLastEnd : State::kData);
    case State::kDataEnd:
      return expect('\r', State::kDataEndLine);
    case State::kDataEndLine:
      digits_ = 0;
      return expect('\n', State::kSize);
    case State::kLastEnd:
      return expect('\r', State::kLastEndLine);
    case State::kLastEndLine:
      return expect('\n', State::kDone);
    case State::kData:
    case State::kDone:
      break;
  }
  return {};
}

base::Result<ChunkedDecoder::Step> ChunkedDecoder::feed(std::string_view input) {
  Step step;
  while (step.consumed < input.size() && !is_done()) {
    if (state_ != State::kData) {
      RETURN_IF_ERROR(take(input[step.consumed]));
      ++step.consumed;
      continue;
    }
    step.data = input.substr(step.consumed, std::min<std::uint64_t>(left_, input.size()));
    step.consumed += step.data.size();
    left_ -= step.data.size();
    if (left_ == 0) state_ = State::kDataEnd;
    return step;
  }
  return step;
}

}  // namespace http
