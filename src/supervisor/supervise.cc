#include "supervisor/supervise.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <optional>

#include "supervisor/children.h"
#include "supervisor/premises.h"
#include "supervisor/restarts.h"
#include "sys/notify.h"
#include "sys/signals.h"
#include "sys/socket.h"

namespace supervisor {

namespace {

using base::Code;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kSpawnerGrace{15};
constexpr std::size_t kMaxReady = 4096;

std::string how(const sys::ExitStatus& status) {
  return status.signal != 0 ? fmt::format("signal {}", status.signal)
                            : fmt::format("exit code {}", status.code);
}

bool is_stop(int signal) { return signal == SIGTERM || signal == SIGINT; }

// The server is trusted less than whoever reads this.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 0x20 && c < 0x7f ? c : '?';
  return out;
}

class Supervisor {
 public:
  Supervisor(const Plan& plan, base::Log& log) : plan_(plan), log_(log) {}

  Result<> run() {
    ASSIGN_OR_RETURN(lock_, take_lock());
    // What nobody waits for (SIGPIPE) or what means nothing here (SIGHUP) is taken and forgotten.
    ASSIGN_OR_RETURN(signals_, sys::watch_signals({SIGTERM, SIGINT, SIGHUP, SIGPIPE}));
    ASSIGN_OR_RETURN(user_, make_premises(plan_.paths, plan_.settings.config.server.user));
    ASSIGN_OR_RETURN(life_, sys::make_pipe());
    RETURN_IF_ERROR(begin_spawner());
    auto done = begin_server();
    if (done) done = look_after();
    stop();
    return done;
  }

 private:
  Result<std::optional<ServeLock>> take_lock() {
    ASSIGN_OR_RETURN(auto lock, ServeLock::take(plan_.paths));
    return std::optional(std::move(lock));
  }

  Result<> begin_spawner() {
    spawner_at_.reset();
    ASSIGN_OR_RETURN(spawner_, start_spawner(plan_, user_));
    log_.info("spawner_started", {{"pid", spawner_->process.pid}});
    return {};
  }

  Result<> begin_server() {
    server_at_.reset();
    ASSIGN_OR_RETURN(server_, start_server(plan_, user_, {.life = life_.read.get(), .lock = lock_->fd()}));
    ready_text_.clear();
    log_.info("server_started", {{"pid", server_->process.pid}});
    return {};
  }

  // Until it is told to stop (a value), or going on is hopeless.
  Result<> look_after() {
    for (;;) {
      std::array<pollfd, 4> waiting = {{{signals_.get(), POLLIN, 0},
                                        {server_ ? server_->ready.get() : -1, POLLIN, 0},
                                        {server_ ? server_->process.pidfd.get() : -1, POLLIN, 0},
                                        {spawner_ ? spawner_->process.pidfd.get() : -1, POLLIN, 0}}};
      if (::poll(waiting.data(), waiting.size(), time_to_start()) < 0 && errno != EINTR) {
        return base::failed_call("poll");
      }
      if (const int signal = sys::next_signal(signals_.get()); is_stop(signal)) return {};
      if (waiting[1].revents != 0) hear_server();
      if (waiting[2].revents != 0) RETURN_IF_ERROR(server_ended());
      if (waiting[3].revents != 0) RETURN_IF_ERROR(spawner_ended());
      RETURN_IF_ERROR(start_due());
    }
  }

  int time_to_start() const {
    int timeout = -1;
    for (const auto& at : {server_at_, spawner_at_}) {
      if (!at) continue;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*at - Clock::now()).count();
      const int wait = static_cast<int>(std::max<std::int64_t>(left, 0));
      timeout = timeout < 0 ? wait : std::min(timeout, wait);
    }
    return timeout;
  }

  // One that cannot be started now counts as one that has ended.
  Result<> start_due() {
    const auto now = Clock::now();
    if (spawner_at_ && now >= *spawner_at_) {
      if (const auto done = begin_spawner(); !done) {
        RETURN_IF_ERROR(start_later("spawner", done.error().message, spawner_restarts_, spawner_at_));
      }
    }
    if (server_at_ && now >= *server_at_) {
      if (const auto done = begin_server(); !done) {
        RETURN_IF_ERROR(start_later("server", done.error().message, server_restarts_, server_at_));
      }
    }
    return {};
  }

  void hear_server() {
    std::array<char, 512> buffer;
    const ssize_t got = ::read(server_->ready.get(), buffer.data(), buffer.size());
    if (got > 0 && ready_text_.size() < kMaxReady) {
      ready_text_.append(buffer.data(), static_cast<std::size_t>(got));
      return;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    server_->ready.reset();
    if (ready_text_.ends_with('\n')) announce(shown({ready_text_.data(), ready_text_.size() - 1}));
  }

  void announce(const std::string& addresses) {
    const bool has_tls = !plan_.settings.config.server.tls_certificate.empty();
    std::string told;
    for (std::size_t at = 0; at < addresses.size();) {
      const std::size_t end = std::min(addresses.find(' ', at), addresses.size());
      const std::string address = addresses.substr(at, end - at);
      const std::string_view scheme = address.starts_with("unix:") ? "" : has_tls ? "https://" : "http://";
      told += fmt::format("{}{}{}", told.empty() ? "" : ", ", scheme, address);
      at = end + 1;
    }
    log_.info("server_ready", {{"pid", server_->process.pid}, {"address", told}});
    fmt::print("Cove serves {} (state {})\n", told, plan_.paths.state);
    (void)std::fflush(stdout);
    if (const auto done = sys::notify_service_manager("READY=1"); !done) {
      log_.warning("service_manager_not_told", {{"error", done.error().message}});
    }
    was_ready_ = true;
  }

  Result<> server_ended() {
    if (server_->ready) hear_server();
    ASSIGN_OR_RETURN(const auto status, sys::wait_pidfd(server_->process.pidfd.get()));
    server_.reset();
    if (!was_ready_ || (status.signal == 0 && status.code == kExitHopeless)) {
      return base::fail(Code::kUnavailable,
                        fmt::format("the server does not start ({}); it has said why above", how(status)));
    }
    return start_later("server", how(status), server_restarts_, server_at_);
  }

  Result<> spawner_ended() {
    ASSIGN_OR_RETURN(const auto status, sys::wait_pidfd(spawner_->process.pidfd.get()));
    spawner_.reset();
    const auto cause = how(status) + ": " + last_words_of_spawner(plan_.paths);
    return start_later("spawner", cause, spawner_restarts_, spawner_at_);
  }

  Result<> start_later(std::string_view name, const std::string& cause, Restarts& restarts,
                       std::optional<Clock::time_point>& at) {
    const auto delay = restarts.after_end(Clock::now());
    if (!delay) {
      return base::fail(Code::kUnavailable,
                        fmt::format("the {} ended {} times in {} s, the last time with {}", name,
                                    Restarts::kMost + 1, Restarts::kWindow.count(), cause));
    }
    log_.error(name == "server" ? "server_ended" : "spawner_ended",
               {{"error", cause}, {"restart_in_ms", delay->count()}});
    at = Clock::now() + *delay;
    return {};
  }

  // The server first: it ends its sandboxes with the spawner's help.
  void stop() {
    log_.info("stopping");
    (void)sys::notify_service_manager("STOPPING=1");
    if (server_) end("server", server_->process, plan_.grace);
    server_.reset();
    if (spawner_) end("spawner", spawner_->process, kSpawnerGrace);
    spawner_.reset();
    log_.info("stopped");
  }

  // Asks, waits, and does not ask any more when a second signal comes or the time is over.
  void end(std::string_view name, const sys::Started& child, std::chrono::milliseconds grace) {
    (void)sys::pidfd_kill(child.pidfd.get(), SIGTERM);
    const auto deadline = Clock::now() + grace;
    while (!sys::has_ended(child.pidfd.get())) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      std::array<pollfd, 2> waiting = {{{child.pidfd.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
      if (left > 0) (void)::poll(waiting.data(), waiting.size(), static_cast<int>(left));
      if (left > 0 && !is_stop(sys::next_signal(signals_.get()))) continue;
      if (sys::has_ended(child.pidfd.get())) break;
      log_.warning("killed", {{"program", name}, {"pid", child.pid}});
      (void)sys::pidfd_kill(child.pidfd.get(), SIGKILL);
      break;
    }
    (void)sys::wait_pidfd(child.pidfd.get());
  }

  const Plan& plan_;
  base::Log& log_;
  std::optional<ServeLock> lock_;
  sys::UniqueFd signals_;
  sys::SystemUser user_;
  sys::Pipe life_;  // the server has the other end
  std::optional<SpawnerChild> spawner_;
  std::optional<ServerChild> server_;
  Restarts spawner_restarts_;
  Restarts server_restarts_;
  std::optional<Clock::time_point> spawner_at_;  // when it is to be started again
  std::optional<Clock::time_point> server_at_;
  std::string ready_text_;
  bool was_ready_ = false;  // ever: until then, an end is a wrong start
};

}  // namespace

Result<> supervise(const Plan& plan, base::Log& log) {
  if (::geteuid() != 0) {
    return base::fail(Code::kDenied, "cove serve needs root: it starts the process that makes sandboxes");
  }
  return Supervisor(plan, log).run();
}

}  // namespace supervisor
