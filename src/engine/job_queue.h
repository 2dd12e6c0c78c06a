#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "engine/execution_observer.h"

namespace engine {

// An execution that somebody has asked for.
struct Job {
  ExecutionId id = ExecutionId::random();
  Purpose purpose = Purpose::kRun;
  wire::init::Execute request;
  std::shared_ptr<ExecutionObserver> observer;
  int begun = 0;  // how often: it never ran when the process had just ended
};

// Executions that wait for their turn, first come, first served; bounded in number and in size.
class JobQueue {
 public:
  struct Limits {
    std::size_t jobs = 64;
    std::size_t bytes = 32 << 20;  // of code and input
  };
  explicit JobQueue(Limits limits) : limits_(limits) {}

  std::size_t size() const { return jobs_.size(); }
  bool is_empty() const { return jobs_.empty(); }
  // kExhausted: at its limits.
  Result<> add(Job job);
  // It has waited already.
  void add_first(Job job);
  Job take_first() { return take(jobs_.begin()); }
  std::optional<Job> take(const ExecutionId& id);
  std::vector<Job> take_all();

 private:
  Job take(const std::deque<Job>::iterator& where);

  Limits limits_;
  std::deque<Job> jobs_;
  std::size_t bytes_ = 0;
};

}  // namespace engine
