#include "engine/sandbox.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "engine/processes.h"
#include "engine/run_loop.h"
#include "engine/runtime_environment.h"
#include "sys/retry.h"
#include "sys/socket.h"
#include "wire/file_messages.h"

namespace engine {

namespace {

using base::Code;

constexpr std::chrono::seconds kGreeting{30};

// For poll: -1 waits for ever.
int milliseconds_to(std::optional<std::chrono::steady_clock::time_point> due) {
  if (!due) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*due - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

Result<wire::spawner::Create> request_of(const SandboxOptions& options) {
  wire::spawner::Create request;
  if (options.workspace.size() >= request.workspace.bytes.size()) {
    return base::fail(Code::kInvalid, "the workspace path is too long");
  }
  request.root.set(options.root);
  request.root_kind = options.root_kind;
  request.mode = options.mode;
  request.memory_bytes = options.memory_bytes;
  request.disk_bytes = options.disk_bytes;
  request.cpu_millis = options.cpu_millis;
  request.max_pids = options.max_pids;
  request.workspace_access = options.workspace_access;
  request.workspace.set(options.workspace);
  request.weaken = options.weaken;
  request.furniture = options.furniture;
  return request;
}

}  // namespace

base::Error error_of(const wire::init::Failed& failed) {
  return {static_cast<Code>(failed.code), failed.message, failed.sys_errno};
}

std::vector<std::string> base_environment(wire::init::User user, const SandboxOptions& options) {
  const bool is_root = user == wire::init::User::kRoot;
  const std::string name = is_root ? "root" : "user";
  std::vector<std::string> environment{
      "PATH=/home/user/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      std::string("HOME=") + (is_root ? "/root" : "/home/user"),
      "USER=" + name,
      "LOGNAME=" + name,
      "SHELL=/bin/bash",
      "LANG=C.UTF-8",
      "TERM=dumb"};
  for (std::string& entry : runtime_environment(options.memory_bytes))
    environment.push_back(std::move(entry));
  return environment;
}

Result<Sandbox> Sandbox::create(SpawnerClient& spawner, const SandboxOptions& options) {
  ASSIGN_OR_RETURN(const auto request, request_of(options));
  ASSIGN_OR_RETURN(const auto reply, spawner.call(request));
  Sandbox sandbox;
  sandbox.id_ = reply.sandbox.view();
  sandbox.seccomp_ = reply.seccomp.view();
  sandbox.disk_bytes_ = reply.disk_bytes;
  for (std::uint32_t i = 0; i < reply.step_count; ++i) {
    sandbox.setup_.push_back(
        {std::string(reply.steps[i].name.view()), std::chrono::microseconds(reply.steps[i].microseconds)});
  }
  sandbox.socket_path_ = reply.socket.view();
  if (auto greeted = sandbox.greet(); !greeted) {
    (void)sandbox.destroy(spawner, wire::spawner::Until::kKilled);
    return std::unexpected(std::move(greeted).error());
  }
  sandbox.lifetime_ = options.lifetime;
  if (options.lifetime == Lifetime::kUntilDestroyed) {
    RETURN_IF_ERROR(sandbox.send(wire::init::kConnection, wire::init::Stay{}));
  }
  return sandbox;
}

Result<Sandbox> Sandbox::connect(const std::string& id, const std::string& socket_path) {
  Sandbox sandbox;
  sandbox.id_ = id;
  sandbox.socket_path_ = socket_path;
  sandbox.lifetime_ = Lifetime::kUntilDestroyed;
  RETURN_IF_ERROR(sandbox.greet());
  return sandbox;
}

Result<> Sandbox::greet() {
  ASSIGN_OR_RETURN(socket_, sys::connect_unix(socket_path_, SOCK_STREAM));
  // It may be hostile by now, and whoever connects to many waits for none for ever.
  patience_ = std::chrono::steady_clock::now() + kGreeting;
  ASSIGN_OR_RETURN(const auto first, receive(wire::init::kConnection));
  patience_.reset();
  if (const auto* failed = std::get_if<wire::init::Failed>(&first)) {
    return std::unexpected(base::with_context("sandbox " + id_, error_of(*failed)));
  }
  const auto* hello = std::get_if<wire::init::Hello>(&first);
  if (hello == nullptr || hello->version != wire::init::kVersion) {
    return base::fail(Code::kUnsupported, "the sandbox's init speaks another protocol version");
  }
  stream_ = hello->last_stream;
  return {};
}

Result<> Sandbox::send(std::uint32_t stream, const wire::init::Request& request) {
  return send_frame(wire::init::encode(stream, request));
}

Result<> Sandbox::send_frame(std::string_view frame) {
  if (auto sent = transmit(frame); !sent) return last_words(std::unexpected(std::move(sent).error()));
  return {};
}

Result<> Sandbox::transmit(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n =
        sys::retry([&] { return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); });
    if (n < 0) return base::failed_call("send to sandbox " + id_);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

void Sandbox::acknowledge(const Acknowledgements::Due& due) {
  const std::string frame = wire::init::encode(due.stream, due.message);
  // An init that listens to nothing is not waited for. One that is gone shows where its last words are read.
  const ssize_t n = ::send(socket_.get(), frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n <= 0) return;
  acknowledgements_.told(due);
  (void)transmit(std::string_view(frame).substr(static_cast<std::size_t>(n)));
}

Result<std::optional<Sandbox::Message>> Sandbox::next() {
  if (const auto due = acknowledgements_.settle()) acknowledge(*due);
  return take_message();
}

Result<std::optional<Sandbox::Message>> Sandbox::take_message() {
  ASSIGN_OR_RETURN(auto frame, frames_.next());
  // What a file call says after it was given up goes unheard.
  while (frame && wire::file::is_event(frame->type)) {
    ASSIGN_OR_RETURN(frame, frames_.next());
  }
  if (!frame) return std::optional<Message>();
  ASSIGN_OR_RETURN(auto message, message_of(*frame));
  return std::optional(std::move(message));
}

Result<Sandbox::Message> Sandbox::message_of(const wire::Frame& frame) {
  ASSIGN_OR_RETURN(auto event, wire::init::decode_event(frame));
  acknowledgements_.give_out(frame.stream, event);
  return Message{.stream = frame.stream, .event = std::move(event)};
}

std::unexpected<base::Error> Sandbox::last_words(std::unexpected<base::Error> otherwise) {
  std::array<char, 65536> buffer;
  // It may be alive, and hostile: nothing is waited for.
  const ssize_t n =
      sys::retry([&] { return ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT); });
  if (n > 0) frames_.feed({buffer.data(), static_cast<std::size_t>(n)});
  while (true) {
    const auto frame = frames_.next();
    if (!frame || !*frame) return otherwise;
    const auto event = wire::init::decode_event(**frame);
    if (!event) return otherwise;
    const auto* failed = std::get_if<wire::init::Failed>(&*event);
    if (failed == nullptr || (*frame)->stream != wire::init::kConnection) continue;
    return std::unexpected(error_of(*failed));
  }
}

Result<> Sandbox::receive_some() {
  std::array<char, 65536> buffer;
  const ssize_t n =
      sys::retry([&] { return ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT); });
  if (n < 0 && errno == EAGAIN) return {};
  if (n <= 0) return base::fail(Code::kUnavailable, "sandbox " + id_ + " has ended");
  frames_.feed({buffer.data(), static_cast<std::size_t>(n)});
  return {};
}

Result<Sandbox::Message> Sandbox::await_message() {
  while (true) {
    ASSIGN_OR_RETURN(auto message, next());
    if (message) return *std::move(message);
    pollfd waiting{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, milliseconds_to(patience_)) < 0 && errno != EINTR) {
      return base::failed_call("poll");
    }
    if (patience_ && std::chrono::steady_clock::now() >= *patience_) {
      return base::fail(Code::kTimeout, "sandbox " + id_ + " does not answer");
    }
    RETURN_IF_ERROR(receive_some());
  }
}

Result<wire::init::Event> Sandbox::receive(std::uint32_t stream) {
  while (true) {
    ASSIGN_OR_RETURN(auto message, await_message());
    if (message.concerns(stream)) return std::move(message.event);
  }
}

Result<> Sandbox::put_file(const std::string& path, std::string bytes, std::uint32_t mode) {
  if (bytes.size() > wire::init::kMaxFileBytes) {
    return base::fail(Code::kInvalid, path + " is larger than 3 MiB; put it into a workspace instead");
  }
  const std::uint32_t stream = take_stream();
  RETURN_IF_ERROR(send(stream, wire::init::PutFile{.path = path, .mode = mode, .bytes = std::move(bytes)}));
  ASSIGN_OR_RETURN(const auto event, receive(stream));
  if (std::holds_alternative<wire::init::Done>(event)) return {};
  if (const auto* failed = std::get_if<wire::init::Failed>(&event)) {
    return std::unexpected(error_of(*failed));
  }
  return base::fail(Code::kInternal, "unexpected answer from sandbox " + id_);
}

wire::init::Start start_request(const Command& command) {
  return {.argv = command.argv,
          .environment = command.environment,
          .cwd = command.cwd,
          .user = command.user,
          .input = command.terminal ? wire::init::Stdin::kStream : command.input,
          .deadline_ms = static_cast<std::uint64_t>(command.timeout.count()),
          .grace_ms = static_cast<std::uint64_t>(command.grace.count()),
          .output_cap = command.output_cap,
          .terminal = command.terminal};
}

Outcome outcome_of(const wire::init::Ended& ended) {
  return {.cause = ended.cause,
          .exit_code = static_cast<int>(ended.exit_code),
          .signal = static_cast<int>(ended.signal),
          .limits_hit = ended.limits_hit,
          .usage = ended.usage};
}

Result<std::uint32_t> Sandbox::begin(const Command& command) {
  const wire::init::Start start = start_request(command);
  RETURN_IF_ERROR(wire::init::check(start));
  const std::uint32_t stream = take_stream();
  RETURN_IF_ERROR(send(stream, start));
  return stream;
}

Result<Outcome> Sandbox::run(const Command& command, RunObserver& observer) {
  ASSIGN_OR_RETURN(const std::uint32_t stream, begin(command));
  acknowledgements_.listen(stream);
  auto outcome = RunLoop(*this, stream, observer).run();
  // Of a sandbox that stays, init would keep the end for others.
  const bool is_kept = lifetime_ == Lifetime::kUntilDestroyed && acknowledgements_.end_of(stream);
  if (is_kept) RETURN_IF_ERROR(Processes(*this).forget(stream));
  acknowledgements_.stop(stream);
  return outcome;
}

Outcome explained(Outcome outcome, wire::spawner::EndedAs ended_as) {
  if (outcome.cause != base::Cause::kSandboxEnded) return outcome;
  if (ended_as != wire::spawner::EndedAs::kOutOfMemory) return outcome;
  outcome.cause = base::Cause::kOutOfMemory;
  outcome.signal = SIGKILL;
  outcome.limits_hit |= base::bit(base::Limit::kMemory);
  return outcome;
}

Result<wire::spawner::EndedAs> Sandbox::destroy(SpawnerClient& spawner, wire::spawner::Until until) {
  return destroy(spawner, id_, until);
}

Result<wire::spawner::EndedAs> Sandbox::destroy(SpawnerClient& spawner, const std::string& id,
                                                wire::spawner::Until until) {
  wire::spawner::Destroy request;
  request.until = until;
  request.sandbox.set(id);
  auto done = spawner.call(request);
  if (done) return done->ended_as;
  // It may have ended by itself so long ago that the spawner has forgotten it.
  if (done.error().code == Code::kNotFound) return wire::spawner::EndedAs::kUnknown;
  return std::unexpected(std::move(done).error());
}

}  // namespace engine
