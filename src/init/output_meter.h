#pragma once

#include <algorithm>
#include <cstdint>

#include "wire/init_messages.h"

namespace init {

// Counts what is written and says how much of it is kept: the first so many bytes of both channels together.
class OutputMeter {
 public:
  explicit OutputMeter(std::uint64_t cap = 0) : cap_(cap) {}

  struct Share {
    std::uint64_t offset = 0;  // of the first byte in its channel
    std::size_t keep = 0;
  };
  Share add(wire::init::Channel channel, std::size_t size) {
    auto& total = channel == wire::init::Channel::kStdout ? stdout_ : stderr_;
    const std::uint64_t kept = stdout_ + stderr_ - dropped_;
    const std::uint64_t keep = std::min<std::uint64_t>(size, cap_ - std::min(cap_, kept));
    const Share share{.offset = total, .keep = static_cast<std::size_t>(keep)};
    total += size;
    dropped_ += size - keep;
    return share;
  }

  bool was_cut() const { return dropped_ != 0; }
  std::uint64_t stdout_bytes() const { return stdout_; }
  std::uint64_t stderr_bytes() const { return stderr_; }
  void tell(wire::init::Usage& usage) const {
    usage.stdout_bytes = stdout_;
    usage.stderr_bytes = stderr_;
    usage.dropped_bytes = dropped_;
  }

 private:
  std::uint64_t cap_;
  std::uint64_t stdout_ = 0;
  std::uint64_t stderr_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace init
