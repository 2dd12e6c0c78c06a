#include "io/task_group.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>
#include <list>
#include <vector>

#include "io/bell.h"

namespace io {

namespace asio = boost::asio;

namespace {

struct Running {
  std::string name;
  asio::cancellation_signal signal;
};

// A cancelled wait throws; so may the standard library, when memory is short.
std::optional<base::Error> error_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const boost::system::system_error& error) {
    if (error.code() == asio::error::operation_aborted) return std::nullopt;
    return base::Error{base::Code::kInternal, error.what()};
  } catch (const std::exception& error) {
    return base::Error{base::Code::kInternal, error.what()};
  }
}

}  // namespace

struct TaskGroup::State {
  State(Loop& of, OnFailure told) : loop(of), on_failure(std::move(told)), ended(of) {}

  Loop& loop;
  OnFailure on_failure;
  Bell ended;
  std::list<std::shared_ptr<Running>> running;
  bool is_closed = false;

  void end(const std::shared_ptr<Running>& task, const std::optional<base::Error>& error) {
    if (error && !is_closed) on_failure(task->name, *error);
    running.remove(task);
    ended.ring();
  }
};

TaskGroup::TaskGroup(Loop& loop, OnFailure on_failure)
    : state_(std::make_shared<State>(loop, std::move(on_failure))) {}

TaskGroup::~TaskGroup() {
  state_->is_closed = true;
  cancel_all(*state_);
}

std::size_t TaskGroup::size() const { return state_->running.size(); }

void TaskGroup::spawn(std::string name, Task<> task) {
  if (state_->is_closed) return;
  auto running = std::make_shared<Running>(std::move(name));
  state_->running.push_back(running);
  auto done = [state = state_, running](const std::exception_ptr& thrown, const Result<>& result) {
    std::optional<base::Error> error;
    if (thrown) {
      error = error_of(thrown);
    } else if (!result) {
      error = result.error();
    }
    state->end(running, error);
  };
  asio::co_spawn(state_->loop.context(), std::move(task),
                 asio::bind_cancellation_slot(running->signal.slot(), std::move(done)));
}

void TaskGroup::cancel_all(State& state) {
  const std::vector<std::shared_ptr<Running>> running(state.running.begin(), state.running.end());
  for (const auto& task : running) task->signal.emit(asio::cancellation_type::terminal);
}

void TaskGroup::cancel() { cancel_all(*state_); }

Task<> TaskGroup::close() {
  state_->is_closed = true;
  return close_all(state_);
}

Task<> TaskGroup::close_all(std::shared_ptr<State> state) {
  cancel_all(*state);
  while (!state->running.empty()) CO_RETURN_IF_ERROR(co_await state->ended.wait());
  co_return Result<>();
}

}  // namespace io
