#include "io/watch.h"

#include <boost/asio/posix/stream_descriptor.hpp>

namespace io {

namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;

struct Watch::State : std::enable_shared_from_this<Watch::State> {
  State(Loop& loop, Bell& rung) : descriptor(loop.context()), bell(rung) {}
  // Whoever owns it closes it.
  ~State() {
    if (descriptor.is_open()) (void)descriptor.release();
  }

  void wait_for(Descriptor::wait_type what, bool& is_wanted) {
    if (is_wanted) return;
    is_wanted = true;
    descriptor.async_wait(what, [self = weak_from_this(), &is_wanted](const boost::system::error_code&) {
      const auto state = self.lock();
      if (!state) return;
      is_wanted = false;
      if (state->is_watched) state->bell.ring();
    });
  }

  Descriptor descriptor;
  Bell bell;
  bool wants_in = false;
  bool wants_out = false;
  bool is_watched = true;
};

Result<Watch> Watch::on(Loop& loop, int fd, Bell& bell) {
  auto state = std::make_shared<State>(loop, bell);
  boost::system::error_code failed;
  state->descriptor.assign(fd, failed);
  if (failed) return base::failed_call("epoll_ctl", failed.value());
  return Watch(std::move(state));
}

Watch::~Watch() {
  if (!state_) return;
  state_->is_watched = false;
  // Ends what waits; the descriptor itself stays open.
  (void)state_->descriptor.release();
}

Watch::Watch(Watch&&) noexcept = default;
Watch& Watch::operator=(Watch&&) noexcept = default;

void Watch::want(short events) {
  if ((events & POLLIN) != 0) state_->wait_for(Descriptor::wait_read, state_->wants_in);
  if ((events & POLLOUT) != 0) state_->wait_for(Descriptor::wait_write, state_->wants_out);
}

}  // namespace io
