#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <vector>

#include "sys/socket.h"

namespace init {

using base::Result;

// Who comes to the control socket when its engine is there already: another engine, or a process of the
// template's zygote. The spawner makes the connection of the latter, because nobody inside can reach the
// socket; it gives its end of it a name, and an engine's has none.
class Door {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostWaiting = 64;

  explicit Door(int listener) : listener_(listener) {}

  void add_polls(std::vector<pollfd>& polls) const;
  // When it is to be polled again, if that is not now.
  std::optional<Clock::time_point> keep_time();

  // Lets in one who stands outside. The socket of an engine; a newcomer waits here until it knocks.
  std::optional<sys::UniqueFd> admit();

  struct Caller {
    sys::UniqueFd socket;
    pid_t pid = 0;  // by the kernel's word, in the sandbox's own numbers
    std::uint32_t stream = 0;
  };
  // Those who have knocked since. Never waits; what is no knock is hung up on.
  std::vector<Caller> callers();

 private:
  static constexpr std::chrono::milliseconds kAcceptAgain{100};

  int listener_;
  std::vector<sys::UniqueFd> waiting_;  // newcomers, not yet heard of, the oldest first
  std::optional<Clock::time_point> closed_until_;
};

}  // namespace init
