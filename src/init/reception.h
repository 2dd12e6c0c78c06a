#pragma once

#include <map>
#include <optional>
#include <vector>

#include "init/door.h"
#include "init/guest.h"

namespace init {

// Contexts from outside: who is expected, who has knocked, and the one that may have come before anybody
// asked for a context.
class Reception {
 public:
  // `filter` is what a newcomer takes on.
  Reception(int listener, int filter) : door_(listener), filter_(filter) {}

  void add_polls(std::vector<pollfd>& polls) const { door_.add_polls(polls); }
  std::optional<Door::Clock::time_point> keep_time() { return door_.keep_time(); }
  // Lets in one who stands at the control socket; an engine is the caller's affair.
  std::optional<sys::UniqueFd> admit() { return door_.admit(); }

  // The process of this context, when it has come early; otherwise it will knock.
  Result<std::optional<Launched>> expect(std::uint32_t stream, const wire::init::ExpectContext& context,
                                         Launcher& launcher);
  bool expects(std::uint32_t stream) const { return guests_.contains(stream); }
  std::size_t size() const { return guests_.size(); }
  // Whoever is not there yet does not come any more.
  void forget(std::uint32_t stream);
  void forget_all();

  struct Arrival {
    std::uint32_t stream = 0;
    Result<Launched> launched;
  };
  // Those that are expected and have knocked since. One that came early is kept here.
  std::vector<Arrival> arrivals(Launcher& launcher);

 private:
  Result<> keep(const Door::Caller& caller, Launcher& launcher);

  Door door_;
  int filter_;
  std::map<std::uint32_t, Guest> guests_;  // expected, by stream
  std::optional<Guest> early_;
};

}  // namespace init
