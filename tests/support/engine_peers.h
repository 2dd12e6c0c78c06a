// A spawner and an init as the engine sees them, for the tests of src/engine: they speak the real protocol by
// a script.
#pragma once

#include <sys/socket.h>

#include <array>
#include <vector>

#include "engine/sandbox.h"
#include "sys/socket.h"
#include "tests/support/instance.h"
#include "tests/support/result.h"
#include "tests/support/scripted_peer.h"
#include "wire/file_messages.h"

namespace engine::test {

using wire::init::Event;
using wire::init::Request;
using wire::spawner::Reply;

inline wire::spawner::Request take_request(int socket) {
  alignas(8) std::array<std::byte, wire::spawner::kMaxPacket + 1> buffer;
  const auto packet = sys::receive_packet(socket, buffer).value();
  return wire::spawner::decode_request(std::span(buffer).first(packet.size)).value();
}

inline void answer(int socket, const Reply& reply) {
  ASSERT_OK(sys::send_packet(socket, wire::spawner::packet_of(reply)));
}

inline Reply good_reply(const std::string& socket_path) {
  Reply reply;
  reply.ok = 1;
  reply.sandbox.set("abcdefghijkmnpqr");
  reply.seccomp.set("5ecc");
  reply.socket.set(socket_path);
  reply.step_count = 1;
  reply.steps[0].name.set("join limits");
  reply.steps[0].microseconds = 17;
  return reply;
}

inline Reply bad_reply(base::Code code, std::string_view message) {
  Reply reply;
  reply.code = static_cast<std::uint32_t>(code);
  reply.message.set(message);
  return reply;
}

// init's end of the connection.
class InitEnd {
 public:
  explicit InitEnd(int socket) : socket_(socket) {}

  void say(std::uint32_t on, const Event& event) { say_bytes(wire::init::encode(on, event)); }
  void say_bytes(std::string_view bytes) { ASSERT_OK(sys::write_all(socket_, bytes)); }

  // Nothing when the engine has hung up.
  std::optional<Request> hear() {
    const auto frame = hear_frame();
    if (!frame) return std::nullopt;
    return wire::init::decode_request(*frame).value();
  }
  std::optional<wire::file::Request> hear_file() {
    const auto frame = hear_frame();
    if (!frame) return std::nullopt;
    return wire::file::decode_request(*frame).value();
  }
  int socket() const { return socket_; }

  std::uint32_t stream = 0;  // of what was heard last

 private:
  std::optional<wire::Frame> hear_frame() {
    while (true) {
      auto frame = frames_.next().value();
      if (frame) {
        stream = frame->stream;
        return frame;
      }
      std::string buffer(1 << 16, '\0');
      const ssize_t n = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (n <= 0) return std::nullopt;
      frames_.feed({buffer.data(), static_cast<std::size_t>(n)});
    }
  }

  int socket_;
  wire::FrameReader frames_;
};

// A sandbox whose init follows `script` after its Hello.
class ScriptedSandbox {
 public:
  using Script = std::function<void(InitEnd&)>;

  explicit ScriptedSandbox(Script script)
      : init_(socket(), SOCK_STREAM,
              [script = std::move(script)](int fd) {
                InitEnd end(fd);
                end.say(0, wire::init::Hello{});
                script(end);
              }),
        spawner_(instance_.paths().spawner_socket, SOCK_SEQPACKET, [path = socket()](int fd) {
          (void)take_request(fd);
          answer(fd, good_reply(path));
        }) {}

  Sandbox& sandbox() {
    if (!sandbox_) {
      client_.emplace(SpawnerClient::connect(instance_.paths()).value());
      sandbox_.emplace(Sandbox::create(*client_, {}).value());
    }
    return *sandbox_;
  }

 private:
  std::string socket() const { return instance_.paths().sandboxes + "/s.sock"; }

  support::Instance instance_ = support::Instance::make().value();
  support::ScriptedPeer init_;
  support::ScriptedPeer spawner_;
  std::optional<SpawnerClient> client_;
  std::optional<Sandbox> sandbox_;
};

}  // namespace engine::test
