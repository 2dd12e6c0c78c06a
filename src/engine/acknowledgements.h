#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "wire/init_messages.h"

namespace engine {

// What has been taken in of each stream that somebody listens to. init keeps an event until it is told that
// it has been: not when it comes, but when whoever listens is done with it.
class Acknowledgements {
 public:
  // `seen`: how many events of this stream are not to come any more.
  void listen(std::uint32_t stream, std::uint64_t seen = 0) { streams_[stream] = {.seen = seen}; }
  void stop(std::uint32_t stream) { streams_.erase(stream); }

  // This one is given out now.
  void give_out(std::uint32_t stream, const wire::init::Event& event) {
    const auto taken = streams_.find(stream);
    if (taken == streams_.end() || !wire::init::is_kept(event)) return;
    // The end is kept for whoever asks: it is not acknowledged on the way.
    taken->second.has_ended = std::holds_alternative<wire::init::Ended>(event);
    if (taken->second.has_ended) return;
    in_hand_ = {.stream = stream, .cost = wire::init::cost_of(event)};
  }

  struct Due {
    std::uint32_t stream = 0;
    wire::init::Acknowledge message;
  };
  // The one given out last has been dealt with. What to tell init now: seldom anything, and again until told.
  std::optional<Due> settle() {
    const auto done = std::exchange(in_hand_, std::nullopt);
    const auto taken = done ? streams_.find(done->stream) : streams_.end();
    if (taken == streams_.end()) return std::nullopt;
    ++taken->second.seen;
    taken->second.cost += done->cost;
    if (taken->second.cost < wire::init::kOutputWindow / 2) return std::nullopt;
    return Due{.stream = done->stream, .message = {.number = taken->second.seen}};
  }

  void told(const Due& due) { streams_[due.stream].cost = 0; }

  // The number of the end, when that has been given out.
  std::optional<std::uint64_t> end_of(std::uint32_t stream) const {
    const auto taken = streams_.find(stream);
    if (taken == streams_.end() || !taken->second.has_ended) return std::nullopt;
    return taken->second.seen + 1;
  }

 private:
  struct Taken {
    std::uint64_t seen = 0;
    std::size_t cost = 0;  // since the last acknowledgement
    bool has_ended = false;
  };
  struct InHand {
    std::uint32_t stream = 0;
    std::size_t cost = 0;
  };
  std::map<std::uint32_t, Taken> streams_;
  std::optional<InHand> in_hand_;
};

}  // namespace engine
