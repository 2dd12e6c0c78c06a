#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "sys/fd.h"
#include "wire/init_messages.h"

namespace init {

using base::Result;

// The engine's connection: frames in, events out through a bounded buffer.
class Channel {
 public:
  // Above this much unsent, nobody reads more output from a process: the engine's slowness becomes the
  // producer's.
  static constexpr std::size_t kHighWater = 1 << 20;

  explicit Channel(sys::UniqueFd socket) : socket_(std::move(socket)) {}
  // How long an engine may take to connect for the first time.
  static constexpr std::chrono::seconds kFirstContact{30};
  static Result<Channel> await(int listener, std::chrono::milliseconds limit);

  bool is_connected() const { return static_cast<bool>(socket_); }
  // What is sent from now on goes nowhere.
  void hang_up() { *this = Channel(sys::UniqueFd()); }
  int fd() const { return socket_.get(); }
  short wanted_events() const;
  bool has_room() const { return outgoing_.size() - sent_ < kHighWater; }
  bool idle() const { return outgoing_.size() == sent_; }

  void send(std::uint32_t stream, const wire::init::Event& event);
  // A frame that somebody else made.
  void pass(const wire::Frame& frame);
  // Writes what the socket takes.
  Result<> flush();
  // Reads what is there. False: the engine has gone.
  Result<bool> fill();
  struct Message {
    std::uint32_t stream = 0;
    wire::init::Request request;
    std::optional<wire::Frame> file;  // instead of a request: it belongs to a file call
  };
  Result<std::optional<Message>> next();

 private:
  void forget_sent();

  sys::UniqueFd socket_;
  wire::FrameReader incoming_;
  std::string outgoing_;
  std::size_t sent_ = 0;
};

wire::init::Failed failed_of(const base::Error& error);

// For an init that cannot serve: the engine that connects learns why, before the end.
void refuse(int listener, const base::Error& error);

}  // namespace init
