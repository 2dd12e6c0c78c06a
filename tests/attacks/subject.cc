#include "tests/attacks/subject.h"

#include <algorithm>

#include "sys/file.h"

namespace attacks {

namespace {

constexpr std::size_t kShownBytes = 64 << 10;

// Keeps what a program says, and reads its lines once it has ended.
class Listener final : public engine::RunObserver {
 public:
  Result<> output(wire::init::Channel channel, std::string_view bytes) override {
    (channel == wire::init::Channel::kStdout ? out_ : err_) += bytes;
    return {};
  }
  void read_into(Report& report) const {
    report.standard_error = err_.substr(0, kShownBytes);
    report.output_bytes = out_.size() + err_.size();
    std::string_view rest = out_;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      parse_line(rest.substr(0, end), report);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

 private:
  std::string out_;
  std::string err_;
};

}  // namespace

std::string path_of(const std::string& program) { return "/tmp/" + program; }
std::string built_program(const std::string& program) { return std::string(ATTACK_PROGRAMS) + "/" + program; }

Subject::Subject(SpawnerProcess& spawner, engine::SandboxOptions options) : spawner_(spawner) {
  if (options.root.empty()) options.root = spawner.base_template();
  // Space is reserved for real, and some rows ask for fifty sandboxes at once.
  if (options.disk_bytes == 0) options.disk_bytes = 64 << 20;
  auto made = engine::Sandbox::create(spawner.client(), options);
  if (made) {
    sandbox_.emplace(*std::move(made));
  } else {
    refusal_ = made.error().message;
  }
}

Subject::~Subject() {
  if (sandbox_) (void)sandbox_->destroy(spawner_.client());
}

Result<> Subject::put_program(const std::string& program) {
  if (std::ranges::find(present_, program) != present_.end()) return {};
  RETURN_IF_ERROR(put_file(built_program(program), path_of(program)));
  present_.push_back(program);
  return {};
}

Result<> Subject::put_file(const std::string& from, const std::string& to) {
  if (!sandbox_) return base::fail(base::Code::kUnavailable, refusal_);
  ASSIGN_OR_RETURN(auto bytes, sys::read_file(from, 3 << 20));
  return sandbox_->put_file(to, std::move(bytes), 0755);
}

Report Subject::run(const std::string& program, const Start& start) {
  Report report;
  if (const auto put = put_program(program); !put) {
    report.error = put.error().message;
    return report;
  }
  return run_command({path_of(program)}, start);
}

Report Subject::run_command(std::vector<std::string> argv, const Start& start) {
  Report report;
  if (!sandbox_) {
    report.error = "no sandbox: " + refusal_;
    return report;
  }
  argv.insert(argv.begin(), start.prefix.begin(), start.prefix.end());
  argv.insert(argv.end(), start.arguments.begin(), start.arguments.end());
  const engine::Command command{.argv = std::move(argv),
                                .environment = engine::base_environment(start.user, {}),
                                .cwd = start.cwd,
                                .user = start.user,
                                .timeout = start.timeout,
                                .grace = start.grace,
                                .output_cap = start.output_cap};
  Listener listener;
  auto outcome = sandbox_->run(command, listener);
  listener.read_into(report);
  if (outcome) {
    report.outcome = *outcome;
  } else {
    report.error = outcome.error().message;
  }
  return report;
}

}  // namespace attacks
