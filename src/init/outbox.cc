#include "init/outbox.h"

namespace init {

namespace {

using wire::init::Event;
using wire::init::Output;
using wire::init::Wrote;

Output* output_of(Event& event) {
  if (auto* wrote = std::get_if<Wrote>(&event)) return &wrote->output;
  return std::get_if<Output>(&event);
}

bool are_alike(const Event& one, const Event& other) {
  const auto* first = std::get_if<Wrote>(&one);
  const auto* second = std::get_if<Wrote>(&other);
  return one.index() == other.index() && (first == nullptr || first->execution == second->execution);
}

// False: they have to stay apart.
bool append(Event& to, Event& event) {
  Output* const last = output_of(to);
  Output* const more = output_of(event);
  const bool joins = last != nullptr && more != nullptr && are_alike(to, event) &&
                     last->channel == more->channel &&
                     last->bytes.size() + more->bytes.size() <= wire::kMaxChunk;
  if (joins) last->bytes += more->bytes;
  return joins;
}

}  // namespace

void Outbox::add(Event event) {
  if (!is_sent()) {
    Event& last = kept_.back();
    const std::size_t before = wire::init::cost_of(last);
    if (append(last, event)) {
      cost_ += wire::init::cost_of(last) - before;
      return;
    }
  }
  cost_ += wire::init::cost_of(event);
  kept_.push_back(std::move(event));
}

bool Outbox::flush(Channel& channel) {
  if (is_sent() || !is_attached_) return false;
  while (!is_sent() && channel.has_room()) channel.send(stream_, kept_[sent_++]);
  return true;
}

void Outbox::attach() {
  is_attached_ = true;
  sent_ = 0;
}

Result<> Outbox::acknowledge(std::uint64_t number) {
  if (number > gone_ + kept_.size()) {
    return base::fail(base::Code::kInvalid, "stream " + std::to_string(stream_) + " has no event " +
                                                std::to_string(number) + " to acknowledge");
  }
  while (gone_ < number) {
    cost_ -= wire::init::cost_of(kept_.front());
    kept_.pop_front();
    ++gone_;
    if (sent_ > 0) --sent_;
  }
  return {};
}

}  // namespace init
