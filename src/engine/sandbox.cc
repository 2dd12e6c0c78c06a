#include "engine/sandbox.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "engine/run_loop.h"
#include "engine/runtime_environment.h"
#include "sys/retry.h"
#include "sys/socket.h"

namespace engine {

namespace {

using base::Code;

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
  return request;
}

}  // namespace

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
  ASSIGN_OR_RETURN(sandbox.socket_, sys::connect_unix(std::string(reply.socket.view()), SOCK_STREAM));
  ASSIGN_OR_RETURN(const auto first, sandbox.receive());
  if (const auto* failed = std::get_if<wire::init::Failed>(&first)) {
    return std::unexpected(base::Error{static_cast<Code>(failed->code),
                                       "sandbox " + sandbox.id_ + ": " + failed->message, failed->sys_errno});
  }
  const auto* hello = std::get_if<wire::init::Hello>(&first);
  if (hello == nullptr || hello->version != wire::init::kVersion) {
    return base::fail(Code::kUnsupported, "the sandbox's init speaks another protocol version");
  }
  return sandbox;
}

Result<> Sandbox::send(std::uint32_t stream, const wire::init::Request& request) {
  return send_frame(wire::init::encode(stream, request));
}

Result<> Sandbox::send_frame(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n =
        sys::retry([&] { return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); });
    if (n < 0) return last_words(base::failed_call("send to sandbox " + id_));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
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
    return std::unexpected(base::Error{static_cast<Code>(failed->code), failed->message, failed->sys_errno});
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

Result<wire::init::Event> Sandbox::receive() {
  while (true) {
    ASSIGN_OR_RETURN(auto frame, frames_.next());
    if (frame) return wire::init::decode_event(*frame);
    std::array<char, 65536> buffer;
    const ssize_t n = sys::retry([&] { return ::recv(socket_.get(), buffer.data(), buffer.size(), 0); });
    if (n < 0) return base::failed_call("receive from sandbox " + id_);
    if (n == 0) return base::fail(Code::kUnavailable, "sandbox " + id_ + " has ended");
    frames_.feed({buffer.data(), static_cast<std::size_t>(n)});
  }
}

Result<> Sandbox::put_file(const std::string& path, std::string bytes, std::uint32_t mode) {
  if (bytes.size() > wire::init::kMaxFileBytes) {
    return base::fail(Code::kInvalid, path + " is larger than 3 MiB; put it into a workspace instead");
  }
  RETURN_IF_ERROR(
      send(take_stream(), wire::init::PutFile{.path = path, .mode = mode, .bytes = std::move(bytes)}));
  ASSIGN_OR_RETURN(const auto event, receive());
  if (std::holds_alternative<wire::init::Done>(event)) return {};
  if (const auto* failed = std::get_if<wire::init::Failed>(&event)) {
    return std::unexpected(base::Error{static_cast<Code>(failed->code), failed->message, failed->sys_errno});
  }
  return base::fail(Code::kInternal, "unexpected answer from sandbox " + id_);
}

Result<Outcome> Sandbox::run(const Command& command, RunObserver& observer) {
  const wire::init::Start start{.argv = command.argv,
                                .environment = command.environment,
                                .cwd = command.cwd,
                                .user = command.user,
                                .input = command.input,
                                .deadline_ms = static_cast<std::uint64_t>(command.timeout.count()),
                                .grace_ms = static_cast<std::uint64_t>(command.grace.count()),
                                .output_cap = command.output_cap};
  RETURN_IF_ERROR(wire::init::check(start));
  const std::uint32_t stream = take_stream();
  RETURN_IF_ERROR(send(stream, start));
  return RunLoop(*this, stream, observer).run();
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
  wire::spawner::Destroy request;
  request.until = until;
  request.sandbox.set(id_);
  auto done = spawner.call(request);
  if (done) return done->ended_as;
  // It may have ended by itself so long ago that the spawner has forgotten it.
  if (done.error().code == Code::kNotFound) return wire::spawner::EndedAs::kUnknown;
  return std::unexpected(std::move(done).error());
}

}  // namespace engine
