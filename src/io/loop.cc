#include "io/loop.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace io {

namespace asio = boost::asio;

void Loop::post(std::move_only_function<void()> work) {
  asio::post(context_, [work = std::move(work)]() mutable { work(); });
}

Task<> Loop::sleep_until(Clock::time_point when) {
  asio::steady_timer timer(context_, when);
  const auto [failed] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  if (failed) co_return base::fail(base::Code::kUnavailable, "the wait was cancelled");
  co_return Result<>();
}

Task<int> next_signal(Loop& loop, std::vector<int> numbers) {
  asio::signal_set signals(loop.context());
  for (const int number : numbers) {
    boost::system::error_code failed;
    signals.add(number, failed);
    if (failed) co_return base::failed_call("sigaction", failed.value());
  }
  const auto [failed, number] = co_await signals.async_wait(asio::as_tuple(asio::use_awaitable));
  if (failed) co_return base::fail(base::Code::kUnavailable, "the wait for a signal was cancelled");
  co_return number;
}

}  // namespace io
