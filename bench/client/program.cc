#include "bench/client/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include "sys/retry.h"

namespace bench {

namespace {

constexpr int kNotExecuted = 127;

// Everything the child needs, made before it exists: it shares our memory until it executes.
struct Prepared {
  const char* root;
  std::vector<char*> argv;
  std::vector<char*> environment;
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void execute(const Prepared& child) {
  const bool in_root = child.root == nullptr || (::chroot(child.root) == 0 && ::chdir("/") == 0);
  if (in_root) ::execve(child.argv[0], child.argv.data(), child.environment.data());
  ::_exit(kNotExecuted);
}

std::string text_of(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& word : argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

Result<> run_program(const Program& program) {
  const Prepared child{.root = program.root.empty() ? nullptr : program.root.c_str(),
                       .argv = pointers(program.argv),
                       .environment = pointers(program.environment)};
  // What posix_spawn does, and chroot, which that lacks.
  const pid_t pid = ::vfork();
  if (pid < 0) return base::failed_call("vfork");
  if (pid == 0) execute(child);
  int status = 0;
  if (sys::retry([&] { return ::waitpid(pid, &status, 0); }) < 0) return base::failed_call("waitpid");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return base::fail(base::Code::kInternal,
                    text_of(program.argv) + ": ended with wait status " + std::to_string(status));
}

}  // namespace bench
