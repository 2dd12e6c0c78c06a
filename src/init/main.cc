// The whole of what an operator cannot configure: cove-init is started by the spawner, with its descriptors
// in fixed places, and has no other input than the control socket.
#include <cstdlib>
#include <cstring>

#include "init/supervisor.h"

namespace {

// Places agreed with the spawner's table of descriptors.
constexpr init::Wiring kWiring = {
    .listener = 3,
    .cgroup = 4,
    .gauges = {.oom = 5, .oom_notify = 6, .memory_peak = 7, .pids = 8},
    .process_filter = 9,
    .leash = 10,
};

base::Result<std::vector<sock_filter>> read_filter() {
  // pread: every sandbox shares this open file, and so its position.
  ASSIGN_OR_RETURN(const auto bytes, sys::pread_text(kWiring.process_filter, 256 << 10));
  if (bytes.empty() || bytes.size() % sizeof(sock_filter) != 0) {
    return base::fail(base::Code::kInternal, "malformed filter");
  }
  std::vector<sock_filter> filter(bytes.size() / sizeof(sock_filter));
  std::memcpy(filter.data(), bytes.data(), bytes.size());
  return filter;
}

base::Result<std::vector<sock_filter>> prepare() {
  // Nothing that init starts may inherit them.
  RETURN_IF_ERROR(sys::close_on_exec_from(kWiring.listener));
  auto filter = read_filter();
  if (!filter) return std::unexpected(base::with_context("filter", std::move(filter).error()));
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  auto filter = prepare();
  if (!filter) {
    init::refuse(kWiring.listener, filter.error());
    return 3;
  }
  init::Supervisor supervisor(kWiring, {.filter = *std::move(filter),
                                        .user_capabilities = std::strtoull(argv[1], nullptr, 16),
                                        .root_capabilities = std::strtoull(argv[2], nullptr, 16)});
  return supervisor.run() ? 0 : 1;
}
