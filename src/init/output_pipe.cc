#include "init/output_pipe.h"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "sys/retry.h"

namespace init {

Result<Written> read_output(sys::UniqueFd& pipe, wire::init::Channel which, OutputMeter& meter) {
  if (!pipe) return Written{};
  std::array<char, wire::kMaxChunk> buffer;
  const ssize_t n = sys::retry([&] { return ::read(pipe.get(), buffer.data(), buffer.size()); });
  if (n < 0 && errno != EAGAIN) return base::failed_call("read(output)");
  if (n == 0) pipe.reset();
  if (n <= 0) return Written{};
  const auto size = static_cast<std::size_t>(n);
  const auto share = meter.add(which, size);
  return Written{
      .size = size,
      .kept = {.channel = which, .offset = share.offset, .bytes = std::string(buffer.data(), share.keep)}};
}

}  // namespace init
