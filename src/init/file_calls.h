#pragma once

#include <list>

#include "init/channel.h"
#include "init/file_worker.h"

namespace init {

// The file calls of the engine: each goes to a worker of its own while it lasts, and answers go back. init
// passes frames on within bounds and never waits. A worker that has nothing to do is kept for the next call.
class FileCalls {
 public:
  static constexpr std::size_t kMostCalls = 16;

  FileCalls(int cgroup, const LaunchPolicy& policy) : cgroup_(cgroup), policy_(policy) {}

  // A frame of the engine's.
  void take(const wire::Frame& frame, Channel& channel);
  void add_polls(std::vector<pollfd>& polls, bool room_for_answers) const;
  void pump(Channel& channel);
  // A child of init's has ended; not always a worker.
  void finish(const sys::Reaped& reaped, Channel& channel);
  // Whoever called has gone: nobody comes back to a file call.
  void give_up();
  // A child of init's has ended or was stopped.
  void look_after();

 private:
  Result<> open(const wire::Frame& frame);
  Result<FileWorker*> free_worker();
  FileWorker* serving(std::uint32_t stream);
  void retire_all_but_one();

  const int cgroup_;
  const LaunchPolicy& policy_;
  std::list<FileWorker> workers_;
  std::uint64_t started_ = 0;
};

}  // namespace init
