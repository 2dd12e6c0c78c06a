#include "api/until_gone.h"

namespace api {

namespace {

struct Waiting {
  explicit Waiting(io::Loop& loop) : bell(loop) {}

  io::Bell bell;
  bool is_done = false;

  void finish() {
    is_done = true;
    bell.ring();
  }
};
using WaitingPtr = std::shared_ptr<Waiting>;

io::Task<> watch_client(WaitingPtr waiting, http::Exchange& exchange) {
  (void)co_await exchange.until_gone();
  waiting->finish();
  co_return Result<>();
}

io::Task<> watch_run(WaitingPtr waiting, fleet::RunPtr run, io::Deadline until) {
  (void)co_await run->wait(until);
  waiting->finish();
  co_return Result<>();
}

}  // namespace

io::Task<> until_over_or_gone(CallPtr call, fleet::RunPtr run, io::Clock::time_point until) {
  if (run->is_over() || until <= io::Clock::now()) co_return Result<>();
  io::Loop& loop = call->services().loop;
  const auto waiting = std::make_shared<Waiting>(loop);
  io::TaskGroup watchers(loop, [](std::string_view, const base::Error&) {});
  watchers.spawn("client", watch_client(waiting, call->exchange()));
  watchers.spawn("run", watch_run(waiting, run, until));
  while (!waiting->is_done) CO_RETURN_IF_ERROR(co_await waiting->bell.wait());
  co_return co_await watchers.close();
}

}  // namespace api
