#pragma once

#include <string>
#include <vector>

#include "engine/sandbox.h"
#include "jail/control.h"
#include "tests/attacks/report.h"
#include "tests/attacks/spawner_process.h"

namespace attacks {

// How a program is started in a sandbox.
struct Start {
  std::vector<std::string> arguments;
  std::vector<std::string> prefix;  // a program that starts it, with its own arguments
  std::string cwd = "/tmp";
  wire::init::User user = wire::init::User::kUser;
  std::chrono::milliseconds timeout{120'000};
  std::chrono::milliseconds grace{200};
  std::uint64_t output_cap = 10ULL << 20;
};

// A sandbox that attack programs are run in. Ends, completely, with its owner. One that could not be made
// says why in every report.
class Subject {
 public:
  Subject(SpawnerProcess& spawner, engine::SandboxOptions options);
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  ~Subject();

  const std::string& refusal() const { return refusal_; }  // empty: it lives
  std::string id() const { return sandbox_ ? sandbox_->id() : ""; }
  std::string seccomp() const { return sandbox_ ? sandbox_->seccomp() : ""; }  // as receipts tell it

  // Copies the attack program in, once, and runs it.
  Report run(const std::string& program, const Start& start = {});
  // Runs what is in the sandbox already.
  Report run_command(std::vector<std::string> argv, const Start& start = {});
  Result<> put_program(const std::string& program);
  // Copies a file of the host in.
  Result<> put_file(const std::string& from, const std::string& to);

 private:
  SpawnerProcess& spawner_;
  std::optional<engine::Sandbox> sandbox_;
  std::string refusal_;
  std::vector<std::string> present_;
};

// Where put_program leaves a program.
std::string path_of(const std::string& program);
// Where the build has it.
std::string built_program(const std::string& program);

}  // namespace attacks
