#include "engine/job_queue.h"

#include <algorithm>

namespace engine {

using base::Code;

Result<> JobQueue::add(Job job) {
  if (jobs_.size() >= limits_.jobs) {
    return base::fail(Code::kExhausted, std::to_string(limits_.jobs) +
                                            " executions wait, and that is the limit; cancel one, or wait");
  }
  const std::size_t bytes = job.request.payload.size();
  if (bytes_ + bytes > limits_.bytes) {
    return base::fail(Code::kExhausted,
                      "of code and input, " + std::to_string(limits_.bytes) +
                          " bytes may wait; cancel an execution, wait, or put them into a file");
  }
  bytes_ += bytes;
  jobs_.push_back(std::move(job));
  return {};
}

void JobQueue::add_first(Job job) {
  bytes_ += job.request.payload.size();
  jobs_.push_front(std::move(job));
}

Job JobQueue::take(const std::deque<Job>::iterator& where) {
  Job job = std::move(*where);
  jobs_.erase(where);
  bytes_ -= job.request.payload.size();
  return job;
}

std::optional<Job> JobQueue::take(const ExecutionId& id) {
  const auto found = std::ranges::find(jobs_, id, &Job::id);
  if (found == jobs_.end()) return std::nullopt;
  return take(found);
}

std::vector<Job> JobQueue::take_all() {
  std::vector<Job> all;
  while (!is_empty()) all.push_back(take_first());
  return all;
}

}  // namespace engine
