#include "io/bell.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <list>

namespace io {

namespace asio = boost::asio;

namespace {

struct Waiter {
  asio::steady_timer timer;
  bool is_rung = false;
};

}  // namespace

struct Bell::State {
  Loop& loop;
  std::list<Waiter*> waiting;
};

namespace {

// In the list as long as its task waits, however that ends.
class Place {
 public:
  Place(std::list<Waiter*>& list, Waiter& waiter) : list_(list), at_(list.insert(list.end(), &waiter)) {}
  ~Place() { list_.erase(at_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::list<Waiter*>& list_;
  std::list<Waiter*>::iterator at_;
};

}  // namespace

Bell::Bell(Loop& loop) : state_(std::make_shared<State>(loop)) {}

void Bell::ring() {
  for (Waiter* waiter : state_->waiting) {
    waiter->is_rung = true;
    waiter->timer.cancel();
  }
}

bool Bell::is_awaited() const { return !state_->waiting.empty(); }

Task<> Bell::wait(Deadline until) { return wait_with(state_, until); }

Task<> Bell::wait_with(std::shared_ptr<State> state, Deadline until) {
  Waiter waiter{asio::steady_timer(state->loop.context(), until.value_or(Clock::time_point::max()))};
  const Place place(state->waiting, waiter);
  const auto [failed] = co_await waiter.timer.async_wait(asio::as_tuple(asio::use_awaitable));
  if (waiter.is_rung) co_return Result<>();
  if (!failed) co_return base::fail(base::Code::kTimeout, "nothing came in time");
  co_return base::fail(base::Code::kUnavailable, "the wait was cancelled");
}

}  // namespace io
