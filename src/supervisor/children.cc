#include "supervisor/children.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "sys/socket.h"

namespace supervisor {

namespace {

using base::Code;

constexpr std::chrono::seconds kStartLimit{10};
constexpr int kLookMilliseconds = 2;
constexpr const char* kLinger = "60s";
constexpr std::size_t kMaxLog = 64 << 20;

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** entry = ::environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

Result<engine::SpawnerClient> reach_spawner(const base::Paths& paths) {
  ASSIGN_OR_RETURN(auto client, engine::SpawnerClient::connect(paths));
  RETURN_IF_ERROR(client.call(wire::spawner::Status{}));
  return client;
}

// One that `cove run` has started lets nobody in but root.
void stop_other_spawner(const base::Paths& paths) {
  auto other = reach_spawner(paths);
  if (!other || !other->call(wire::spawner::Stop{})) return;
  while (other->call(wire::spawner::Status{})) {
  }
}

std::vector<std::string> spawner_arguments(const Plan& plan, const sys::SystemUser& client) {
  std::vector<std::string> argv = {plan.spawner_program,       "--state",  plan.paths.state, "--client",
                                   std::to_string(client.uid), "--linger", kLinger};
  if (!plan.config_file.empty()) argv.insert(argv.end(), {"--config", plan.config_file});
  for (const std::string& flag : plan.flags) argv.insert(argv.end(), {"--set", flag});
  return argv;
}

Result<engine::SpawnerClient> await_spawner(const base::Paths& paths, int pidfd) {
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  while (std::chrono::steady_clock::now() < deadline) {
    if (auto client = reach_spawner(paths)) return client;
    pollfd end{.fd = pidfd, .events = POLLIN, .revents = 0};
    if (::poll(&end, 1, kLookMilliseconds) != 0) break;
  }
  (void)sys::pidfd_kill(pidfd, SIGKILL);
  (void)sys::wait_pidfd(pidfd);
  return base::fail(Code::kUnavailable,
                    "the spawner does not start; it last said: " + last_words_of_spawner(paths) +
                        " (log: " + paths.spawner_log + ")");
}

// Files that only root may read, as files of the server's own.
struct Handed {
  base::Settings settings;
  std::vector<sys::UniqueFd> files;
};

Result<Handed> hand_over_files(const Plan& plan, int first_number) {
  Handed handed{.settings = plan.settings};
  for (base::Setting& setting : handed.settings.all) {
    const bool is_file = setting.key == "tls_certificate" || setting.key == "tls_key";
    if (!is_file || setting.values.empty() || setting.values.back().empty()) continue;
    auto bytes = sys::read_file(setting.values.back());
    if (!bytes) return std::unexpected(base::with_context(setting.key, std::move(bytes).error()));
    ASSIGN_OR_RETURN(auto file, sys::sealed_memfd("cove-tls", *bytes, 0444));
    setting.values = {fmt::format("/proc/self/fd/{}", first_number++)};
    handed.files.push_back(std::move(file));
  }
  return handed;
}

}  // namespace

std::string last_words_of_spawner(const base::Paths& paths) {
  const auto log = sys::read_file(paths.spawner_log, kMaxLog).value_or("");
  const std::size_t end = log.find_last_not_of('\n');
  if (end == std::string::npos) return "(nothing)";
  const std::size_t start = log.rfind('\n', end) + 1;  // none: 0
  return log.substr(start, end - start + 1);
}

Result<SpawnerChild> start_spawner(const Plan& plan, const sys::SystemUser& client) {
  stop_other_spawner(plan.paths);
  ASSIGN_OR_RETURN(const auto log,
                   sys::open(plan.paths.spawner_log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600));
  ASSIGN_OR_RETURN(auto process, sys::start_program({.argv = spawner_arguments(plan, client),
                                                     .environment = own_environment(),
                                                     .output = log.get()}));
  ASSIGN_OR_RETURN(auto connection, await_spawner(plan.paths, process.pidfd.get()));
  return SpawnerChild{.process = std::move(process), .connection = std::move(connection)};
}

Result<ServerChild> start_server(const Plan& plan, const sys::SystemUser& user,
                                 const Inheritance& inherited) {
  constexpr int kFirst = 3;
  constexpr int kFiles = 7;  // behind settings, ready, life and lock
  ASSIGN_OR_RETURN(const auto handed, hand_over_files(plan, kFiles));
  ASSIGN_OR_RETURN(const auto settings, sys::sealed_memfd("cove-settings", handed.settings.text(), 0444));
  ASSIGN_OR_RETURN(auto ready, sys::make_pipe());
  sys::ProgramStart start{.argv = {plan.server_program},
                          .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"},
                          .fds = {settings.get(), ready.write.get(), inherited.life, inherited.lock},
                          .user = user};
  for (const sys::UniqueFd& file : handed.files) start.fds.push_back(file.get());
  const auto arguments = arguments_of(
      {.state = plan.paths.state, .settings_fd = kFirst, .ready_fd = kFirst + 1, .life_fd = kFirst + 2});
  start.argv.insert(start.argv.end(), arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(auto process, sys::start_program(start));
  RETURN_IF_ERROR(sys::set_nonblocking(ready.read.get()));
  return ServerChild{.process = std::move(process), .ready = std::move(ready.read)};
}

}  // namespace supervisor
