#include "init/output_pipes.h"

#include <unistd.h>

#include <cerrno>

#include "sys/retry.h"

namespace init {

namespace {
constexpr std::array kChannels = {wire::init::Channel::kStdout, wire::init::Channel::kStderr};
}  // namespace

void OutputPipes::begin_execution(std::uint32_t number, std::uint64_t cap) {
  execution_ = number;
  meter_ = OutputMeter(cap);
}

void OutputPipes::add_polls(std::vector<pollfd>& polls) const {
  for (const auto& pipe : pipes_) {
    if (pipe) polls.push_back({pipe.get(), POLLIN, 0});
  }
}

Result<std::size_t> OutputPipes::read_some(Outbox& outbox) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < pipes_.size() && outbox.has_room(); ++i) {
    ASSIGN_OR_RETURN(const std::size_t more, read_from(i, outbox));
    size += more;
  }
  return size;
}

Result<std::size_t> OutputPipes::read_from(std::size_t index, Outbox& outbox) {
  sys::UniqueFd& pipe = pipes_[index];
  if (!pipe) return std::size_t{0};
  std::array<char, wire::kMaxChunk> buffer;
  ssize_t n = sys::retry([&] { return ::read(pipe.get(), buffer.data(), buffer.size()); });
  if (n < 0 && errno == EIO) n = 0;  // a terminal that nobody has open any more
  if (n < 0 && errno != EAGAIN) return base::failed_call("read(output)");
  if (n == 0) pipe.reset();
  if (n <= 0) return std::size_t{0};
  const auto size = static_cast<std::size_t>(n);
  const auto share = meter_.add(kChannels[index], size);
  if (share.keep == 0) return size;
  wire::init::Output kept{
      .channel = kChannels[index], .offset = share.offset, .bytes = std::string(buffer.data(), share.keep)};
  if (execution_) {
    outbox.add(wire::init::Wrote{.execution = *execution_, .output = std::move(kept)});
  } else {
    outbox.add(std::move(kept));
  }
  return size;
}

Result<bool> OutputPipes::drain(Outbox& outbox) {
  while (left_to_drain_ > 0) {
    if (!outbox.has_room()) return false;
    ASSIGN_OR_RETURN(const std::size_t size, read_some(outbox));
    if (size == 0) left_to_drain_ = 0;
    left_to_drain_ -= std::min(left_to_drain_, size);
  }
  return true;
}

void OutputPipes::close() {
  for (auto& pipe : pipes_) pipe.reset();
}

}  // namespace init
