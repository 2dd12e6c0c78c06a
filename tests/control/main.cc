// A spawner for tests only: it obeys requests to weaken a sandbox, and can be told by the environment to
// fail, or to be killed, at a named setup step. Everything else is the product's own code. It runs in
// namespaces that the test made.
//   COVE_FAIL_STEP="make dev"   that step fails with EIO
//   COVE_KILL_STEP="make dev"   the spawner is killed with SIGKILL as that step begins
#include <cstdio>
#include <cstdlib>

#include "spawner/run.h"
#include "tests/control/authority.h"

namespace {

std::unique_ptr<jail::ControlAuthority> make_control(const jail::Materials& usual) {
  auto authority = control::Authority::make(usual);
  if (authority) return *std::move(authority);
  std::fprintf(stderr, "control spawner: %s\n", authority.error().message.c_str());
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = spawner::parse_arguments(argc, argv);
  const auto done =
      options ? spawner::run(*options, make_control) : base::Result<>(std::unexpected(options.error()));
  if (done) return 0;
  std::fprintf(stderr, "control spawner: %s\n", done.error().message.c_str());
  return 1;
}
