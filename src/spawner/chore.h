#pragma once

#include <functional>
#include <vector>

#include "sys/process.h"

namespace spawner {

using base::Result;

// Slow work in a child process: making a disk ahead, taking one apart. The child dies with the spawner, holds
// no descriptor but those it is given, and hands back at most one.
class Chore {
 public:
  using Work = std::function<Result<sys::UniqueFd>()>;

  // `fds` are what `work` uses.
  static Result<Chore> start(const Work& work, const std::vector<int>& fds);

  int fd() const { return socket_.get(); }  // readable when it is done
  bool is_done() const;
  // Waits for the end, when that has not come yet.
  Result<sys::UniqueFd> finish();

 private:
  Chore(sys::Clone process, sys::UniqueFd socket)
      : process_(std::move(process)), socket_(std::move(socket)) {}

  sys::Clone process_;
  sys::UniqueFd socket_;
};

}  // namespace spawner
