#pragma once

#include <poll.h>

#include <vector>

#include "sys/socket.h"

namespace init {

using base::Result;

// Where processes of the template's zygote knock: connections to the control socket besides the engine's. The
// spawner makes each, because nobody inside can reach the socket, and hands it to one newcomer.
class Door {
 public:
  static constexpr std::size_t kMostWaiting = 64;

  explicit Door(int listener) : listener_(listener) {}

  void add_polls(std::vector<pollfd>& polls) const;

  struct Caller {
    sys::UniqueFd socket;
    pid_t pid = 0;  // by the kernel's word, in the sandbox's own numbers
    std::uint32_t stream = 0;
  };
  // Those who have knocked since. Never waits; what is no knock is hung up on.
  std::vector<Caller> callers();

 private:
  void accept_all();

  int listener_;
  std::vector<sys::UniqueFd> waiting_;  // connected, and not yet heard of
};

}  // namespace init
