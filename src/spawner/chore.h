#pragma once

#include <functional>
#include <vector>

#include "sys/process.h"
#include "sys/socket.h"

namespace spawner {

using base::Result;

// Slow work in a child process: making a disk ahead, taking one apart. The child dies with the spawner, holds
// no descriptor but those it is given, and hands back what it has made.
class Chore {
 public:
  using Made = std::vector<sys::UniqueFd>;
  using Work = std::function<Result<Made>()>;
  static constexpr std::size_t kMostMade = sys::kMaxPassedFds;

  // `fds` are what `work` uses.
  static Result<Chore> start(const Work& work, const std::vector<int>& fds);

  int fd() const { return socket_.get(); }  // readable when it is done
  bool is_done() const;
  // Waits for the end, when that has not come yet.
  Result<Made> finish();

 private:
  Chore(sys::Clone process, sys::UniqueFd socket)
      : process_(std::move(process)), socket_(std::move(socket)) {}

  sys::Clone process_;
  sys::UniqueFd socket_;
};

}  // namespace spawner
