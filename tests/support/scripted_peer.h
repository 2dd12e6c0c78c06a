// The other side of a conversation, in a thread of its own: it accepts one connection and says what its
// script says.
#pragma once

#include <poll.h>

#include <functional>
#include <thread>

#include "sys/socket.h"
#include "tests/support/result.h"

namespace support {

class ScriptedPeer {
 public:
  using Script = std::function<void(int socket)>;

  ScriptedPeer(const std::string& path, int type, Script script)
      : listener_(sys::listen_unix(path, type).value()), thread_([this, script = std::move(script)] {
          pollfd caller{.fd = listener_.get(), .events = POLLIN, .revents = 0};
          ASSERT_EQ(::poll(&caller, 1, 10'000), 1) << "nobody called";
          const auto socket = sys::accept(listener_.get());
          ASSERT_OK(socket);
          script(socket->get());
        }) {}

  // The script has been played to its end.
  void finish() { thread_.join(); }

 private:
  sys::UniqueFd listener_;
  std::jthread thread_;
};

}  // namespace support
