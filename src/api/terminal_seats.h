#pragma once

#include <map>
#include <memory>
#include <string>

#include "fleet/run.h"
#include "io/bell.h"

namespace api {

// What is known of a terminal beside its run: how large it is, and how many sit at it.
struct TerminalSeat {
  explicit TerminalSeat(io::Loop& loop) : resized(loop) {}

  wire::init::Window window;
  std::uint64_t resizes = 0;
  io::Bell resized;
  std::size_t viewers = 0;
};
using TerminalSeatPtr = std::shared_ptr<TerminalSeat>;

// The seats of all terminals; each goes with its run. Used on the loop alone.
class TerminalSeats {
 public:
  // Made when it is first asked for.
  TerminalSeatPtr of(io::Loop& loop, const fleet::RunPtr& run);
  std::size_t size() const { return seats_.size(); }

 private:
  struct Place {
    std::weak_ptr<fleet::Run> run;
    TerminalSeatPtr seat;
  };
  std::map<std::string, Place> seats_;  // by the run's id
};

}  // namespace api
