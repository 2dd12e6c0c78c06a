#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace http {

// Takes a chunked body apart as it comes. Extensions and trailers, which nobody needs and readers disagree
// about, are refused.
class ChunkedDecoder {
 public:
  struct Step {
    std::size_t consumed = 0;  // of the input
    std::string_view data;     // within the input; empty: more input is needed, or it is done
  };
  // As far as the next data. kInvalid: this is no chunked body.
  base::Result<Step> feed(std::string_view input);
  bool is_done() const { return state_ == State::kDone; }

 private:
  enum class State { kSize, kSizeEnd, kData, kDataEnd, kDataEndLine, kLastEnd, kLastEndLine, kDone };
  base::Result<> take(char c);
  base::Result<> take_digit(char c);

  State state_ = State::kSize;
  std::uint64_t left_ = 0;  // of this chunk
  int digits_ = 0;
};

}  // namespace http
