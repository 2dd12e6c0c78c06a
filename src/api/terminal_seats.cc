#include "api/terminal_seats.h"

namespace api {

TerminalSeatPtr TerminalSeats::of(io::Loop& loop, const fleet::RunPtr& run) {
  const auto found = seats_.find(run->id().text());
  if (found != seats_.end()) return found->second.seat;
  std::erase_if(seats_, [](const auto& entry) { return entry.second.run.expired(); });
  auto seat = std::make_shared<TerminalSeat>(loop);
  seats_.emplace(run->id().text(), Place{.run = run, .seat = seat});
  return seat;
}

}  // namespace api
