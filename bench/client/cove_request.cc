#include "bench/client/cove_request.h"

#include <unistd.h>

#include <climits>

#include "sys/file.h"

namespace bench {

namespace {

using base::Code;

constexpr std::chrono::seconds kLinger{30};

class Silence : public engine::RunObserver {
 public:
  Result<> output(wire::init::Channel, std::string_view) override { return {}; }
};

Result<std::string> folder_of_this_program() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  if (length < 0) return base::failed_call("readlink(/proc/self/exe)");
  const std::string whole(path, static_cast<std::size_t>(length));
  return whole.substr(0, whole.rfind('/'));
}

}  // namespace

Result<Cove> Cove::find(const std::string& state, const std::string& template_name) {
  ASSIGN_OR_RETURN(const auto folder, folder_of_this_program());
  ASSIGN_OR_RETURN(auto digest,
                   sys::read_file(base::Paths::of(state).templates + "/names/" + template_name, 256));
  while (digest.ends_with('\n')) digest.pop_back();
  return Cove{.state = state, .spawner = folder + "/cove-spawner", .digest = digest};
}

Result<engine::SpawnerClient> Cove::connect() const {
  return engine::SpawnerClient::connect_or_start(base::Paths::of(state),
                                                 {.program = spawner, .config = "", .linger = kLinger});
}

engine::Command command_of(const std::vector<std::string>& argv) {
  engine::Command command;
  command.argv = argv;
  command.environment = engine::base_environment(command.user, {});
  return command;
}

Result<> run_in(engine::Sandbox& sandbox, const engine::Command& command) {
  Silence silence;
  ASSIGN_OR_RETURN(const auto outcome, sandbox.run(command, silence));
  if (outcome.cause == base::Cause::kOk && outcome.exit_code == 0) return {};
  return base::fail(Code::kInternal, command.argv[0] +
                                         " in a sandbox: " + std::string(name_of(outcome.cause)) +
                                         ", exit code " + std::to_string(outcome.exit_code));
}

Result<> whole_life(engine::SpawnerClient& spawner, const Cove& cove, const engine::Command& command) {
  engine::SandboxOptions options;
  options.root = cove.digest;
  ASSIGN_OR_RETURN(auto sandbox, engine::Sandbox::create(spawner, options));
  const auto ran = run_in(sandbox, command);
  // The answer comes when its processes are killed, as a server would ask; the rest goes in the background.
  RETURN_IF_ERROR(sandbox.destroy(spawner, wire::spawner::Until::kKilled));
  return ran;
}

}  // namespace bench
