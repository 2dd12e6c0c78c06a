#include "template/command.h"

#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>

#include "sys/c_strings.h"
#include "sys/process.h"
#include "sys/retry.h"
#include "sys/socket.h"
#include "template/rules.h"

namespace templates {

namespace {

constexpr std::size_t kMaxLine = 4096;

// HOME holds the configuration of both tools.
constexpr std::array<std::string_view, 7> kFetchSettings = {
    "HOME=",         "PIP_", "npm_config_", "NPM_CONFIG_", "NODE_EXTRA_CA_CERTS=", "REQUESTS_CA_BUNDLE=",
    "SSL_CERT_FILE="};

struct Child {
  pid_t pid = 0;
  sys::UniqueFd pidfd;
  sys::UniqueFd output;
};

// How the child differs from us: /dev/null and the pipe as its stdio, own session, signals as at boot.
class SpawnSettings {
 public:
  SpawnSettings(int output, int kept_fd) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, 1);
    ::posix_spawn_file_actions_adddup2(&actions_, output, 2);
    if (kept_fd >= 0) ::posix_spawn_file_actions_adddup2(&actions_, kept_fd, kept_fd);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    // Own session: a terminal's Ctrl-C reaches the builder alone, which then ends the child.
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

Result<Child> start(const Command& command) {
  // A kill of the builder takes the child along; setpriv arranges that, so no code of ours runs between fork
  // and exec.
  std::vector<std::string> argv = {"setpriv", "--pdeathsig", "KILL", "--"};
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  ASSIGN_OR_RETURN(auto pipe, sys::make_pipe());
  const SpawnSettings settings(pipe.write.get(), command.kept_fd);
  Child child{.output = std::move(pipe.read)};
  const int error = ::posix_spawnp(&child.pid, argv[0].c_str(), settings.actions(), settings.attributes(),
                                   sys::c_strings(argv).data(), sys::c_strings(command.environment).data());
  if (error != 0) return base::failed_call("spawn(" + command.argv[0] + ")", error);
  ASSIGN_OR_RETURN(child.pidfd, sys::pidfd_open(child.pid));
  return child;
}

// Cuts a stream of bytes into printable lines, and remembers the last few.
class Lines {
 public:
  explicit Lines(Progress& progress) : progress_(progress) {}

  void add(std::string_view bytes) {
    for (const char c : bytes) {
      if (c == '\n' || c == '\r' || pending_.size() == kMaxLine) flush();
      if (c != '\n' && c != '\r') pending_ += c;
    }
  }
  void flush() {
    if (pending_.empty()) return;
    const auto line = printable(std::exchange(pending_, {}), kMaxLine);
    progress_.detail(line);
    last_.push_back(line);
    if (last_.size() > 8) last_.pop_front();
  }
  std::string last() const {
    std::string text;
    for (const auto& line : last_) text += "\n  " + line;
    return text;
  }

 private:
  Progress& progress_;
  std::string pending_;
  std::deque<std::string> last_;
};

// False: the output has ended.
Result<bool> pump(const Child& child, Lines& lines, const Cancel& cancel) {
  std::array<pollfd, 2> waiting = {pollfd{child.output.get(), POLLIN, 0}, pollfd{cancel.fd(), POLLIN, 0}};
  if (sys::retry([&] { return ::poll(waiting.data(), waiting.size(), -1); }) < 0) {
    return base::failed_call("poll");
  }
  RETURN_IF_ERROR(cancel.check());
  std::array<char, 4096> buffer{};
  const ssize_t n = sys::retry([&] { return ::read(child.output.get(), buffer.data(), buffer.size()); });
  if (n < 0) return base::failed_call("read");
  lines.add({buffer.data(), static_cast<std::size_t>(n)});
  return n > 0;
}

Result<> pump_all(const Child& child, Lines& lines, const Cancel& cancel) {
  bool more = true;
  while (more) {
    ASSIGN_OR_RETURN(more, pump(child, lines, cancel));
  }
  lines.flush();
  return {};
}

// Ends the child. Its descendants hold the output pipe: its end tells that the last of them is gone and
// nothing writes into the staging directory any more.
void stop(const Child& child) {
  (void)sys::pidfd_kill(child.pidfd.get(), SIGKILL);
  std::array<char, 4096> buffer{};
  pollfd waiting{.fd = child.output.get(), .events = POLLIN, .revents = 0};
  constexpr int kPatienceMs = 10'000;
  while (::poll(&waiting, 1, kPatienceMs) > 0) {
    if (::read(child.output.get(), buffer.data(), buffer.size()) <= 0) return;
  }
}

}  // namespace

Result<> run_command(const Command& command, Progress& progress, const Cancel& cancel) {
  ASSIGN_OR_RETURN(const auto child, start(command));
  Lines lines(progress);
  const auto pumped = pump_all(child, lines, cancel);
  if (!pumped) stop(child);
  ASSIGN_OR_RETURN(const auto status, sys::wait_pidfd(child.pidfd.get()));
  RETURN_IF_ERROR(pumped);
  if (status.code == 0 && status.signal == 0) return {};
  const auto how = status.signal != 0 ? "signal " + std::to_string(status.signal)
                                      : "exit code " + std::to_string(status.code);
  return base::fail(base::Code::kInternal, command.argv[0] + ": " + how + lines.last());
}

Result<std::string> capture(const std::vector<std::string>& argv) {
  class Collector : public Progress {
   public:
    void stage(int, int, std::string_view) override {}
    void detail(std::string_view line) override { text.append(line).append("\n"); }
    std::string text;
  };
  Collector collector;
  RETURN_IF_ERROR(run_command({.argv = argv, .environment = command_environment()}, collector, Cancel()));
  return std::move(collector.text);
}

std::vector<std::string> command_environment() {
  std::vector<std::string> out = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                  "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"};
  for (const char* name :
       {"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}) {
    if (const char* value = std::getenv(name)) out.push_back(std::string(name) + "=" + value);
  }
  return out;
}

std::vector<std::string> fetch_environment() {
  auto out = command_environment();
  for (const char* const* entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const auto begins = [&](std::string_view prefix) { return variable.starts_with(prefix); };
    if (std::ranges::any_of(kFetchSettings, begins)) out.emplace_back(variable);
  }
  return out;
}

}  // namespace templates
