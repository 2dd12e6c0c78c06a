// A spawner for tests only: it obeys requests to weaken a sandbox, and can be told by the environment to
// fail, or to be killed, at a named setup step. Everything else is the product's own code. It runs in
// namespaces that the test made.
//   COVE_FAIL_STEP="make dev"   that step fails with EIO
//   COVE_KILL_STEP="make dev"   the spawner is killed with SIGKILL as that step begins
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "spawner/run.h"
#include "sys/process.h"

namespace {

class FaultHook final : public jail::StepHook {
 public:
  explicit FaultHook(pid_t spawner) : spawner_(spawner) {}

  base::Result<> before(const char* step) override {
    if (named("COVE_KILL_STEP", step)) {
      ::kill(spawner_, SIGKILL);
      // The death signal reaches the helper; pid 1 of a half-made sandbox is left to the next spawner.
      while (true) ::pause();
    }
    if (named("COVE_FAIL_STEP", step)) return base::failed_call("injected", EIO);
    return {};
  }

 private:
  static bool named(const char* variable, const char* step) {
    const char* const value = std::getenv(variable);
    return value != nullptr && std::string(value) == step;
  }
  const pid_t spawner_;
};

std::vector<sock_filter> allow_everything() { return {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}; }

// Filters that filter nothing, around the same init.
base::Result<jail::Materials> make_unfiltered(const jail::Materials& usual) {
  const auto program = allow_everything();
  const std::string_view bytes(reinterpret_cast<const char*>(program.data()), sizeof(sock_filter));
  jail::Materials materials;
  materials.abi_gate = program;
  materials.init_filter = program;
  materials.stage = usual.stage;
  ASSIGN_OR_RETURN(materials.init_program, sys::lift_fd(usual.init_program.get(), 3));
  for (sys::UniqueFd* filter :
       {&materials.user_filter, &materials.user_no_setid_filter, &materials.root_filter}) {
    ASSIGN_OR_RETURN(*filter, sys::sealed_memfd("unfiltered", bytes, 0444));
  }
  return materials;
}

std::unique_ptr<jail::ControlAuthority> make_control(const jail::Materials& usual) {
  static FaultHook hook(::getpid());
  static auto unfiltered = make_unfiltered(usual);
  if (!unfiltered) {
    std::fprintf(stderr, "control spawner: %s\n", unfiltered.error().message.c_str());
    std::exit(1);
  }
  return std::make_unique<jail::ControlAuthority>(&hook, *unfiltered);
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
