#include "init/file_calls.h"

#include <algorithm>

#include "wire/file_messages.h"

namespace init {

using base::Code;

namespace {

// False: there is none for now.
bool pass_answer(FileWorker& worker, Channel& channel) {
  const auto frame = worker.next();
  if (!frame) worker.kill();
  if (!frame || !*frame) return false;
  channel.pass(**frame);
  return true;
}

}  // namespace

void FileCalls::take(const wire::Frame& frame, Channel& channel) {
  if (wire::file::is_opening(frame.type)) {
    if (auto opened = open(frame); !opened) channel.send(frame.stream, failed_of(opened.error()));
    return;
  }
  FileWorker* const worker = serving(frame.stream);
  // The tail of a call that has ended.
  if (worker == nullptr) return;
  // Its end is told when it is reaped.
  if (!worker->pass(frame)) worker->kill();
}

Result<> FileCalls::open(const wire::Frame& frame) {
  if (serving(frame.stream) != nullptr) {
    return base::fail(Code::kConflict, "stream " + std::to_string(frame.stream) + " has a file call already");
  }
  ASSIGN_OR_RETURN(FileWorker* const worker, free_worker());
  return worker->open(frame.stream, frame);
}

Result<FileWorker*> FileCalls::free_worker() {
  const auto idle = std::ranges::find_if(workers_, [](FileWorker& one) {
    // Asked first, because one that was killed meanwhile is none.
    return one.is_idle() && one.next() && one.is_idle();
  });
  if (idle != workers_.end()) return &*idle;
  if (workers_.size() >= kMostCalls) {
    return base::fail(Code::kExhausted,
                      std::to_string(kMostCalls) + " file calls are under way already; wait for one to end");
  }
  ASSIGN_OR_RETURN(auto leaf, Leaf::make(cgroup_, "f" + std::to_string(++started_)));
  ASSIGN_OR_RETURN(auto worker, FileWorker::start(policy_, std::move(leaf)));
  return &workers_.emplace_back(std::move(worker));
}

FileWorker* FileCalls::serving(std::uint32_t stream) {
  const auto worker =
      std::ranges::find_if(workers_, [&](const FileWorker& one) { return one.stream() == stream; });
  return worker == workers_.end() ? nullptr : &*worker;
}

void FileCalls::add_polls(std::vector<pollfd>& polls, bool room_for_answers) const {
  for (const FileWorker& worker : workers_) worker.add_polls(polls, room_for_answers);
}

void FileCalls::pump(Channel& channel) {
  for (FileWorker& worker : workers_) {
    worker.flush();
    while (channel.has_room() && pass_answer(worker, channel)) {
    }
  }
  retire_all_but_one();
}

void FileCalls::retire_all_but_one() {
  bool is_first = true;
  for (FileWorker& worker : workers_) {
    if (worker.is_idle() && !std::exchange(is_first, false)) worker.retire();
  }
}

void FileCalls::give_up() {
  for (const FileWorker& worker : workers_) {
    if (!worker.is_idle()) worker.kill();
  }
}

void FileCalls::look_after() {
  for (const FileWorker& worker : workers_) {
    if (worker.is_stopped()) worker.kill();
  }
}

void FileCalls::finish(const sys::Reaped& reaped, Channel& channel) {
  const auto worker = std::ranges::find(workers_, reaped.pid, &FileWorker::pid);
  if (worker == workers_.end()) return;
  // It may have come to its answer before its end.
  while (pass_answer(*worker, channel)) {
  }
  if (worker->stream()) {
    const std::string how = reaped.status.signal != 0 ? "signal " + std::to_string(reaped.status.signal)
                                                      : "exit code " + std::to_string(reaped.status.code);
    channel.send(*worker->stream(), failed_of({Code::kUnavailable,
                                               "the process that served this file call was ended or stopped "
                                               "inside the sandbox (" +
                                                   how + "); call again"}));
  }
  worker->remove();
  workers_.erase(worker);
}

}  // namespace init
