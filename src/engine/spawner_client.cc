#include "engine/spawner_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "sys/process.h"
#include "sys/socket.h"

namespace engine {

namespace {

using base::Code;

constexpr std::chrono::seconds kStartLimit{10};
constexpr int kStartAttempts = 4;
constexpr std::chrono::milliseconds kBetweenAttempts{100};

// Starts a spawner and returns; whether it serves is found out by connecting.
Result<sys::UniqueFd> start_spawner(const base::Paths& paths, const SpawnerLaunch& launch) {
  RETURN_IF_ERROR(sys::mkdir_if_missing(paths.run, 0700));
  ASSIGN_OR_RETURN(const auto log,
                   sys::open(paths.spawner_log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600));
  std::vector<std::string> argv{launch.program, "--state", paths.state, "--linger",
                                std::to_string(launch.linger.count()) + "s"};
  if (!launch.config.empty()) argv.insert(argv.end(), {"--config", launch.config});
  if (::access(launch.program.c_str(), X_OK) != 0) return base::failed_call("access(" + launch.program + ")");
  return sys::start_daemon(argv, log.get());
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "(nothing)";
  const std::size_t start = text.rfind('\n', end);
  return text.substr(start == std::string::npos ? 0 : start + 1,
                     end - (start == std::string::npos ? 0 : start + 1) + 1);
}

}  // namespace

Result<SpawnerClient> SpawnerClient::connect(const base::Paths& paths) {
  ASSIGN_OR_RETURN(auto socket, sys::connect_unix(paths.spawner_socket, SOCK_SEQPACKET));
  return SpawnerClient(std::move(socket));
}

// One that answers. To be connected is not enough: of a spawner that was killed, a child that is still at
// work may hold the socket open for a moment.
Result<SpawnerClient> SpawnerClient::reach(const base::Paths& paths) {
  ASSIGN_OR_RETURN(auto client, connect(paths));
  RETURN_IF_ERROR(client.call(wire::spawner::Status{}));
  return client;
}

// Until it serves, or has ended, which closes its end of `alive`.
Result<SpawnerClient> SpawnerClient::await_service(const base::Paths& paths, int alive) {
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  while (std::chrono::steady_clock::now() < deadline) {
    if (auto client = reach(paths)) return client;
    pollfd end{.fd = alive, .events = POLLIN, .revents = 0};
    if (::poll(&end, 1, 2) != 0) break;
  }
  return base::fail(Code::kUnavailable, "the spawner does not serve");
}

Result<SpawnerClient> SpawnerClient::connect_or_start(const base::Paths& paths, const SpawnerLaunch& launch) {
  if (auto client = reach(paths)) return client;
  for (int attempt = 0; attempt < kStartAttempts; ++attempt) {
    ASSIGN_OR_RETURN(const auto alive, start_spawner(paths, launch));
    if (auto client = await_service(paths, alive.get())) return client;
    // It has ended. Perhaps because another holds the lock: one that won the race and answers soon, or one
    // that is about to end.
    std::this_thread::sleep_for(kBetweenAttempts);
    if (auto client = reach(paths)) return client;
  }
  const auto log = sys::read_file(paths.spawner_log, 64 << 20);
  return base::fail(Code::kUnavailable,
                    "the spawner does not start; it last said: " + last_line(log.value_or("")) +
                        " (log: " + paths.spawner_log + "); `cove doctor` tells what this host lacks");
}

// Between two calls there is nothing to be read but the end.
bool SpawnerClient::is_connected() const {
  pollfd end{.fd = socket_.get(), .events = POLLIN | POLLRDHUP, .revents = 0};
  return ::poll(&end, 1, 0) == 0;
}

Result<wire::spawner::Reply> SpawnerClient::exchange(std::span<const std::byte> packet) {
  RETURN_IF_ERROR(sys::send_packet(socket_.get(), packet));
  alignas(8) std::array<std::byte, wire::spawner::kMaxPacket + 1> buffer;
  const auto received = sys::receive_packet(socket_.get(), buffer);
  if (!received && received.error().sys_errno != ECONNRESET) return std::unexpected(received.error());
  if (!received || received->size == 0) {
    return base::fail(Code::kUnavailable, "the spawner has closed the connection");
  }
  ASSIGN_OR_RETURN(auto reply, wire::spawner::decode_reply(std::span(buffer).first(received->size)));
  if (reply.ok == 0) {
    return std::unexpected(
        base::Error{static_cast<Code>(reply.code), std::string(reply.message.view()), reply.sys_errno});
  }
  return reply;
}

}  // namespace engine
