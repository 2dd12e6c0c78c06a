#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/task.h"

namespace http {

// The server's end of a WebSocket, made by Exchange::upgrade. Loop thread only. Pings, pongs and size limits
// are seen to inside; a client that stops answering pings is dropped. One receive() at a time; send() may be
// called by several tasks.
class WebSocket {
 public:
  enum class Kind { kText, kBinary };
  struct Message {
    Kind kind = Kind::kText;
    std::string bytes;
  };

  virtual ~WebSocket() = default;
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  // kUnavailable: the client closed or is gone. When cancelled, the connection is of no further use.
  virtual io::Task<Message> receive() = 0;
  // Returns when the bytes are the kernel's; senders take turns. kUnavailable: the client is gone.
  virtual io::Task<> send(Kind kind, std::string_view bytes) = 0;
  // A closing handshake, with a deadline. Afterwards everything fails with kUnavailable. 1000: all is well.
  virtual io::Task<> close(std::uint16_t code, std::string_view reason) = 0;

 protected:
  WebSocket() = default;
};

}  // namespace http
