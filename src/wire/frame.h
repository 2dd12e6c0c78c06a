#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace wire {

// On the stream between engine and init, every message is one frame: 12 bytes of header, then the payload.
struct Frame {
  std::uint32_t type = 0;
  std::uint32_t stream = 0;  // which process, context or transfer; 0 is the connection itself
  std::string payload;
};

constexpr std::size_t kFrameHeader = 12;
constexpr std::size_t kMaxFramePayload = 4 << 20;  // a process start with a large environment, a script
constexpr std::size_t kMaxChunk = 64 << 10;        // output and input are cut into pieces of at most this

std::string encode_frame(std::uint32_t type, std::uint32_t stream, std::string_view payload);

// Collects bytes as they come and gives out whole frames. After an error the connection is unusable.
class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next whole frame, nothing when more bytes are needed, or an error when the peer breaks the protocol.
  base::Result<std::optional<Frame>> next();

 private:
  std::string buffer_;
  std::size_t used_ = 0;
};

}  // namespace wire
