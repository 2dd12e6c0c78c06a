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

// How long a client waits to hear that a sandbox is gone. It goes all the same, later.
constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kQuiet{5};
constexpr std::chrono::milliseconds kTendAtLeast{100};
constexpr std::chrono::milliseconds kRest{100};
constexpr std::size_t kClients = 3;  // the first of them in what is waited for

void set_error(Reply& reply, const base::Error& error) {
  reply.ok = 0;
  reply.code = static_cast<std::uint32_t>(error.code);
  reply.sys_errno = error.sys_errno;
  reply.message.set(error.message);
}

bool readable(const pollfd& entry) { return (entry.revents & (POLLIN | POLLPRI | POLLHUP | POLLERR)) != 0; }

}  // namespace

Service::Service(sys::UniqueFd listener, Sandboxes& sandboxes, ServiceOptions options)
    : listener_(std::move(listener)),
      sandboxes_(sandboxes),
      options_(std::move(options)),
      last_use_(std::chrono::steady_clock::now()) {}

std::vector<pollfd> Service::waits() const {
  // poll skips -1.
  const bool rests = std::chrono::steady_clock::now() < accept_after_;
  std::vector<pollfd> waiting{{signals_.get(), POLLIN, 0},
                              {rests ? -1 : listener_.get(), POLLIN, 0},
                              {sandboxes_.preparation_fd(), 0, 0}};
  for (const auto& [fd, owner] : clients_) {
    const bool waits = waiters_.contains(fd) || on_errand_.contains(fd);
    waiting.push_back({waits ? -1 : fd, POLLIN, 0});
  }
  for (const auto& [id, sandbox] : sandboxes_.all()) waiting.push_back({sandbox.pidfd.get(), POLLIN, 0});
  sandboxes_.endings().add_polls(waiting);
  for (const int fd : sandboxes_.disks().waits()) waiting.push_back({fd, POLLIN, 0});
  sandboxes_.zygotes().add_polls(waiting);
  return waiting;
}

Result<> Service::run() {
  ASSIGN_OR_RETURN(signals_, sys::watch_signals({SIGTERM, SIGINT, SIGHUP}));
  while (!stopping_) {
    auto waiting = waits();
    const int timeout = poll_timeout();
    const int ready = ::poll(waiting.data(), waiting.size(), std::min(timeout, time_to_quiet()));
    // Memory may be short for a moment; sandboxes and clients are still there after it.
    if (ready < 0 && errno != EINTR && errno != EAGAIN && errno != ENOMEM) return base::failed_call("poll");
    if (ready == 0 && timeout == 0) break;
    if (readable(waiting[0])) break;
    look_after(waiting);
    if (ready == 0) prepare();
  }
  // Whoever waits is told by the end of the connection.
  listener_.reset();
  clients_.clear();
  return {};
}

void Service::look_after(const std::vector<pollfd>& waiting) {
  const std::size_t clients_end = kClients + clients_.size();
  std::vector<pollfd> zygotes;
  sandboxes_.zygotes().add_polls(zygotes);
  const auto disks_end = waiting.end() - static_cast<std::ptrdiff_t>(zygotes.size());
  const auto disks = disks_end - static_cast<std::ptrdiff_t>(sandboxes_.disks().waits().size());
  if (readable(waiting[1])) accept_client();
  for (std::size_t i = kClients; i < clients_end; ++i) {
    if (readable(waiting[i]) && !serve_client(waiting[i].fd)) clients_.erase(waiting[i].fd);
  }
  const auto ends = waiting.begin() + static_cast<std::ptrdiff_t>(clients_end);
  const auto now = std::chrono::steady_clock::now();
  if (now >= looked_ + kTendAtLeast || std::any_of(ends, disks, readable)) remove_ended();
  sandboxes_.tend_preparation();
  sandboxes_.reap();
  tend_zygotes();
  if (std::any_of(disks, disks_end, readable) || now >= tended_ + kTendAtLeast) tend_disks();
}

void Service::tend_disks() {
  sandboxes_.disks().tend();
  tended_ = std::chrono::steady_clock::now();
}

// What can be made ahead is not made while somebody is served, because the two would share the machine,
// unless soon nothing would be left of it.
int Service::time_to_quiet() const {
  if (sandboxes_.is_preparation_urgent()) return 0;
  // Disks are tended once after each use as well.
  if (!sandboxes_.wants_preparation() && tended_ > last_use_) return 1000;
  const auto left = last_use_ + kQuiet - std::chrono::steady_clock::now();
  return static_cast<int>(
      std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count()));
}

void Service::prepare() {
  const bool quiet = std::chrono::steady_clock::now() >= last_use_ + kQuiet;
  if (!quiet && !sandboxes_.is_preparation_urgent()) return;
  if (quiet) tend_disks();
  if (!sandboxes_.wants_preparation()) return;
  sandboxes_.prepare(quiet ? Sandboxes::Haste::kNone : Sandboxes::Haste::kUrgent);
}

int Service::poll_timeout() const {
  if (!sandboxes_.endings().empty() || std::chrono::steady_clock::now() < accept_after_) return 100;
  if (!options_.linger || !clients_.empty() || sandboxes_.alive() != 0) return 1000;
  const auto left = last_use_ + *options_.linger - std::chrono::steady_clock::now();
  return static_cast<int>(
      std::clamp<std::int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count(), 0, 1000));
}

void Service::accept_client() {
  // One that does not take its answers is let go, instead of being waited for.
  auto client = sys::accept(listener_.get(), SOCK_NONBLOCK);
  if (!client) {
    // It gave up while waiting, or there is no descriptor left for it; then trying again at once is no use.
    if (client.error().sys_errno == EMFILE || client.error().sys_errno == ENFILE) {
      accept_after_ = std::chrono::steady_clock::now() + kRest;
    }
    return;
  }
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
  asking_ = client;
  const auto request = wire::spawner::decode_request(std::span(buffer).first(packet->size));
  if (request) {
    reply = answer(*request);
  } else {
    set_error(reply, request.error());
  }
  last_use_ = std::chrono::steady_clock::now();
  if (on_errand_.contains(client)) return true;
  if (request && waits_for_end(client, *request, reply)) return true;
  const bool told = send_reply(client, reply);
  if (!told && reply.ok != 0) disown(reply);
  // A client that broke the protocol is told why and let go.
  return told && request.has_value();
}

bool Service::waits_for_end(int client, const wire::spawner::Request& request, const Reply& reply) {
  const auto* destroy = std::get_if<wire::spawner::Destroy>(&request);
  if (destroy == nullptr || reply.ok == 0 || destroy->until != wire::spawner::Until::kGone) return false;
  const auto id = base::SandboxId::parse(destroy->sandbox.view());
  // One that ended by itself may be gone already.
  if (!sandboxes_.endings().contains(*id)) return false;
  waiters_.insert_or_assign(
      client, Waiter{.sandbox = *id, .deadline = last_use_ + kPatience, .ended_as = reply.ended_as});
  return true;
}

bool Service::send_reply(int client, Reply reply) {
  reply.sandboxes = static_cast<std::uint32_t>(sandboxes_.alive());
  reply.nurseries = static_cast<std::uint32_t>(sandboxes_.nurseries());
  reply.ending = static_cast<std::uint32_t>(sandboxes_.endings().size());
  reply.disk_backend.set(sandboxes_.disks().name());
  return sys::send_packet(client, wire::spawner::packet_of(reply)).has_value();
}

void Service::disown(const Reply& reply) {
  const auto id = base::SandboxId::parse(reply.sandbox.view());
  // What cannot be removed now ends by itself, when no engine comes.
  if (id) (void)sandboxes_.destroy(*id);
}

Result<> Service::check_right(const wire::spawner::Request& request) const {
  const auto* create = std::get_if<wire::spawner::Create>(&request);
  const bool is_roots = std::holds_alternative<wire::spawner::RetireTemplate>(request) ||
                        std::holds_alternative<wire::spawner::Stop>(request) ||
                        (create != nullptr && create->root_kind == wire::spawner::RootKind::kBuild);
  if (!is_roots) return {};
  ASSIGN_OR_RETURN(const auto peer, sys::peer_credentials(asking_));
  if (peer.uid == 0) return {};
  return base::fail(base::Code::kDenied, "only root may ask the spawner for this");
}

Reply Service::answer(const wire::spawner::Request& request) {
  Reply reply;
  if (const auto right = check_right(request); !right) {
    set_error(reply, right.error());
    return reply;
  }
  reply.ok = 1;
  std::visit([&](const auto& message) { answer_one(message, reply); }, request);
  return reply;
}

void Service::answer_one(const wire::spawner::Create& request, Reply& reply) {
  const auto created = sandboxes_.create(request);
  if (!created) return set_error(reply, created.error());
  reply.sandbox.set(created->id.text());
  reply.socket.set(created->socket);
  reply.seccomp.set(created->seccomp);
  reply.disk_bytes = created->disk_bytes;
  for (const jail::StepDuration& step : created->steps) {
    if (reply.step_count == wire::spawner::kMaxSteps) break;
    reply.steps[reply.step_count].name.set(step.name);
    reply.steps[reply.step_count++].microseconds = step.microseconds;
  }
}

void Service::answer_one(const wire::spawner::Destroy& request, Reply& reply) {
  const auto id = base::SandboxId::parse(request.sandbox.view());
  if (!id) return set_error(reply, id.error());
  const auto end = sandboxes_.destroy(*id);
  if (!end) return set_error(reply, end.error());
  reply.ended_as = *end;
}

void Service::answer_one(const wire::spawner::RetireTemplate& request, Reply& reply) {
  const auto trash = sandboxes_.retire_template(std::string(request.digest.view()));
  if (!trash) return set_error(reply, trash.error());
  reply.trash.set(*trash);
}

void Service::answer_one(const wire::spawner::Status&, Reply& reply) {
  const Disks& disks = sandboxes_.disks();
  std::string text = disks.state();
  if (!options_.disk_refusals.empty()) text += (text.empty() ? "" : "; ") + options_.disk_refusals;
  reply.message.set(text);
}

void Service::answer_one(const wire::spawner::Stop&, Reply&) { stopping_ = true; }

void Service::answer_one(const wire::spawner::Warm& request, Reply& reply) {
  const auto begun = sandboxes_.warm(asking_, request);
  if (!begun) return set_error(reply, begun.error());
  on_errand_.insert(asking_);
}

void Service::answer_one(const wire::spawner::EnterContext& request, Reply& reply) {
  const auto begun = sandboxes_.enter(asking_, request);
  if (!begun) return set_error(reply, begun.error());
  on_errand_.insert(asking_);
}

void Service::tend_zygotes() {
  for (const auto& [client, sandbox, outcome] : sandboxes_.tend_zygotes()) {
    Reply reply;
    reply.ok = 1;
    if (!outcome) set_error(reply, outcome.error());
    on_errand_.erase(client);
    if (!send_reply(client, reply)) clients_.erase(client);
    last_use_ = std::chrono::steady_clock::now();
  }
}

void Service::remove_ended() {
  looked_ = std::chrono::steady_clock::now();
  std::vector<base::SandboxId> ended;
  for (const auto& [id, sandbox] : sandboxes_.all()) {
    if (sys::has_ended(sandbox.pidfd.get())) ended.push_back(id);
  }
  for (const base::SandboxId& id : ended) (void)sandboxes_.destroy(id);  // found again when it fails
  const auto gone = sandboxes_.collect_gone();
  tell_gone(gone);
  tell_overdue();
  if (!ended.empty() || !gone.empty()) last_use_ = std::chrono::steady_clock::now();
}

void Service::tell_gone(const std::vector<base::SandboxId>& gone) {
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    if (std::ranges::find(gone, at->second.sandbox) == gone.end()) {
      ++at;
      continue;
    }
    if (!send_reply(at->first, Reply{.ok = 1, .ended_as = at->second.ended_as})) clients_.erase(at->first);
    at = waiters_.erase(at);
  }
}

void Service::tell_overdue() {
  const auto now = std::chrono::steady_clock::now();
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    if (at->second.deadline > now) {
      ++at;
      continue;
    }
    Reply reply;
    set_error(reply, {base::Code::kTimeout, "sandbox " + at->second.sandbox.text() +
                                                " is killed and has not ended yet; its removal goes on"});
    if (!send_reply(at->first, reply)) clients_.erase(at->first);
    at = waiters_.erase(at);
  }
}

}  // namespace spawner
