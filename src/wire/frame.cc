#include "wire/frame.h"

#include <cstring>

#include "wire/bytes.h"

namespace wire {

std::string encode_frame(std::uint32_t type, std::uint32_t stream, std::string_view payload) {
  Writer header;
  header.u32(static_cast<std::uint32_t>(payload.size()));
  header.u32(type);
  header.u32(stream);
  std::string out = header.take();
  out.append(payload);
  return out;
}

base::Result<std::optional<Frame>> FrameReader::next() {
  const std::string_view left = std::string_view(buffer_).substr(used_);
  if (left.size() < kFrameHeader) return std::optional<Frame>();
  Reader header(left.substr(0, kFrameHeader));
  const std::uint32_t size = header.u32();
  if (size > kMaxFramePayload) {
    return base::fail(base::Code::kInvalid, "frame of " + std::to_string(size) + " bytes is over the limit");
  }
  if (left.size() < kFrameHeader + size) return std::optional<Frame>();
  Frame frame;
  frame.type = header.u32();
  frame.stream = header.u32();
  frame.payload.assign(left.substr(kFrameHeader, size));
  used_ += kFrameHeader + size;
  // Compacted only when half is used up, so that many small frames cost one move.
  if (used_ > buffer_.size() / 2) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  return std::optional(std::move(frame));
}

}  // namespace wire
