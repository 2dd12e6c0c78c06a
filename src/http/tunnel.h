#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/task.h"

namespace http {

class Channel;

// A client's connection as mere bytes, made by Exchange::tunnel for a proxy. Loop thread only. One receive()
// and one send() at a time, each beside the other.
class Tunnel {
 public:
  explicit Tunnel(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}

  // What comes next, at most 64 KiB. kUnavailable: the client has ended or is gone.
  io::Task<std::string> receive();
  // Fails with kTimeout when the client takes nothing for long.
  io::Task<> send(std::string_view bytes);

 private:
  std::shared_ptr<Channel> channel_;
};

}  // namespace http
