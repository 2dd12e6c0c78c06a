#pragma once

#include <cstdint>
#include <deque>

#include "init/channel.h"

namespace init {

// What one stream has to tell, numbered from 1, kept until the engine has acknowledged it. Bounded: who has
// no room left does not read from its process, which waits then, as on a pipe.
class Outbox {
 public:
  explicit Outbox(std::uint32_t stream) : stream_(stream) {}

  bool has_room() const { return cost_ < wire::init::kOutputWindow; }
  // Bytes that follow others of their kind become one event with them, as long as that has not been sent.
  void add(wire::init::Event event);
  // Sends what was not sent yet, as much as the channel takes. True: there was something.
  bool flush(Channel& channel);
  // A number that was never given is the engine breaking the protocol.
  Result<> acknowledge(std::uint64_t number);

  // To another connection everything that is kept is sent again, once it asks for it.
  void attach();
  void detach() { is_attached_ = false; }

  std::uint64_t acknowledged() const { return gone_; }
  std::uint64_t last() const { return gone_ + kept_.size(); }
  bool is_sent() const { return sent_ == kept_.size(); }
  bool is_empty() const { return kept_.empty(); }

 private:
  std::uint32_t stream_;
  std::deque<wire::init::Event> kept_;
  std::uint64_t gone_ = 0;  // how many were acknowledged
  std::size_t sent_ = 0;    // of those kept
  std::size_t cost_ = 0;
  bool is_attached_ = true;
};

}  // namespace init
