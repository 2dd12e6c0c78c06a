#include "spawner/service.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "sys/process.h"
#include "sys/signals.h"
#include "sys/socket.h"

namespace spawner {

namespace {

using wire::spawner::Reply;

constexpr std::chrono::seconds kRetry{1};

void set_error(Reply& reply, const base::Error& error) {
  reply.ok = 0;
  reply.code = static_cast<std::uint32_t>(error.code);
  reply.sys_errno = error.sys_errno;
  reply.message.set(error.message);
}

bool readable(const pollfd& entry) { return (entry.revents & (POLLIN | POLLHUP | POLLERR)) != 0; }

}  // namespace

Service::Service(sys::UniqueFd listener, Sandboxes& sandboxes, ServiceOptions options)
    : listener_(std::move(listener)),
      sandboxes_(sandboxes),
      options_(std::move(options)),
      last_use_(std::chrono::steady_clock::now()) {}

std::vector<pollfd> Service::waits() const {
  std::vector<pollfd> waiting{{signals_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
  for (const auto& [fd, owner] : clients_) waiting.push_back({fd, POLLIN, 0});
  for (const auto& [id, sandbox] : sandboxes_.all()) {
    // An ended one stays readable; poll skips -1 until it is time to try its removal again.
    waiting.push_back({stuck_.contains(id) ? -1 : sandbox.pidfd.get(), POLLIN, 0});
  }
  return waiting;
}

Result<> Service::run() {
  ASSIGN_OR_RETURN(signals_, sys::watch_signals({SIGTERM, SIGINT, SIGHUP}));
  while (!stopping_) {
    auto waiting = waits();
    const int timeout = poll_timeout();
    const int ready = ::poll(waiting.data(), waiting.size(), timeout);
    // Memory may be short for a moment; sandboxes and clients are still there after it.
    if (ready < 0 && errno != EINTR && errno != EAGAIN && errno != ENOMEM) return base::failed_call("poll");
    if (ready == 0 && timeout == 0) break;
    if (readable(waiting[0])) break;
    const std::size_t clients_end = 2 + clients_.size();
    if (readable(waiting[1])) accept_client();
    for (std::size_t i = 2; i < clients_end; ++i) {
      if (readable(waiting[i]) && !serve_client(waiting[i].fd)) clients_.erase(waiting[i].fd);
    }
    const bool ended =
        std::any_of(waiting.begin() + static_cast<std::ptrdiff_t>(clients_end), waiting.end(), readable);
    if (ended || !stuck_.empty()) remove_ended();
    sandboxes_.reap();
  }
  return {};
}

int Service::poll_timeout() const {
  if (!options_.linger || !clients_.empty() || sandboxes_.alive() != 0) return 1000;
  const auto left = last_use_ + *options_.linger - std::chrono::steady_clock::now();
  return static_cast<int>(
      std::clamp<std::int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count(), 0, 1000));
}

void Service::accept_client() {
  // One that does not take its answers is let go, instead of being waited for.
  auto client = sys::accept(listener_.get(), SOCK_NONBLOCK);
  if (!client) return;  // it gave up while waiting
  const auto peer = sys::peer_credentials(client->get());
  const bool allowed =
      peer && std::ranges::find(options_.allowed_users, peer->uid) != options_.allowed_users.end();
  if (!allowed) return;
  const int fd = client->get();
  clients_.emplace(fd, *std::move(client));
}

bool Service::serve_client(int client) {
  last_use_ = std::chrono::steady_clock::now();
  alignas(8) std::array<std::byte, wire::spawner::kMaxPacket + 1> buffer;
  auto packet = sys::receive_packet(client, buffer);
  // What could not be read now is still there to be read.
  if (!packet && (packet.error().sys_errno == EAGAIN || packet.error().sys_errno == ENOMEM)) return true;
  if (!packet || packet->size == 0) return false;
  Reply reply;
  const auto request = wire::spawner::decode_request(std::span(buffer).first(packet->size));
  if (request) {
    reply = answer(*request);
  } else {
    set_error(reply, request.error());
  }
  last_use_ = std::chrono::steady_clock::now();
  const bool told = sys::send_packet(client, wire::spawner::packet_of(reply)).has_value();
  if (!told && reply.ok != 0) disown(reply);
  // A client that broke the protocol is told why and let go.
  return told && request.has_value();
}

void Service::disown(const Reply& reply) {
  const auto id = base::SandboxId::parse(reply.sandbox.view());
  // What cannot be removed now ends by itself, when no engine comes.
  if (id) (void)sandboxes_.destroy(*id);
}

Reply Service::answer(const wire::spawner::Request& request) {
  Reply reply;
  reply.ok = 1;
  std::visit([&](const auto& message) { answer_one(message, reply); }, request);
  reply.sandboxes = static_cast<std::uint32_t>(sandboxes_.alive());
  reply.nurseries = static_cast<std::uint32_t>(sandboxes_.nurseries());
  return reply;
}

void Service::answer_one(const wire::spawner::Create& request, Reply& reply) {
  const auto created = sandboxes_.create(request);
  if (!created) return set_error(reply, created.error());
  reply.sandbox.set(created->id.text());
  reply.socket.set(created->socket);
  reply.seccomp.set(created->seccomp);
  for (const jail::StepDuration& step : created->steps) {
    if (reply.step_count == wire::spawner::kMaxSteps) break;
    reply.steps[reply.step_count].name.set(step.name);
    reply.steps[reply.step_count++].microseconds = step.microseconds;
  }
}

void Service::answer_one(const wire::spawner::Destroy& request, Reply& reply) {
  const auto id = base::SandboxId::parse(request.sandbox.view());
  if (!id) return set_error(reply, id.error());
  if (const auto gone = sandboxes_.destroy(*id); !gone) set_error(reply, gone.error());
}

void Service::answer_one(const wire::spawner::RetireTemplate& request, Reply& reply) {
  const auto trash = sandboxes_.retire_template(std::string(request.digest.view()));
  if (!trash) return set_error(reply, trash.error());
  reply.trash.set(*trash);
}

void Service::answer_one(const wire::spawner::Status&, Reply&) {}

void Service::answer_one(const wire::spawner::Stop&, Reply&) { stopping_ = true; }

void Service::remove_ended() {
  const auto now = std::chrono::steady_clock::now();
  std::vector<base::SandboxId> ended;
  for (const auto& [id, sandbox] : sandboxes_.all()) {
    if (const auto found = stuck_.find(id); found != stuck_.end() && found->second > now) continue;
    pollfd end{.fd = sandbox.pidfd.get(), .events = POLLIN, .revents = 0};
    if (::poll(&end, 1, 0) == 1) ended.push_back(id);
  }
  for (const base::SandboxId& id : ended) {
    if (sandboxes_.destroy(id)) {
      stuck_.erase(id);
    } else {
      stuck_[id] = now + kRetry;
    }
  }
  std::erase_if(stuck_, [&](const auto& entry) { return !sandboxes_.all().contains(entry.first); });
  if (!ended.empty()) last_use_ = now;
}

}  // namespace spawner
