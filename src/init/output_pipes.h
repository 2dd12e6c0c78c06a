#pragma once

#include <poll.h>

#include <array>
#include <optional>
#include <vector>

#include "init/outbox.h"
#include "init/output_meter.h"
#include "sys/fd.h"

namespace init {

// Where a process writes to: what is read from it goes, counted, into the outbox of its stream. Output is
// never lost without a word: what cannot be read is an error.
class OutputPipes {
 public:
  OutputPipes(sys::UniqueFd out, sys::UniqueFd error) : pipes_{std::move(out), std::move(error)} {}

  // From now on it is counted as an execution's, which has a cap of its own.
  void begin_execution(std::uint32_t number, std::uint64_t cap);
  // Of a run, from its start to its end.
  void set_cap(std::uint64_t cap) { meter_ = OutputMeter(cap); }

  void add_polls(std::vector<pollfd>& polls) const;
  // A chunk of each, if there is one, while the outbox has room. How much it was.
  Result<std::size_t> read_some(Outbox& outbox);

  // What was written before a moment: begin_drain() is the moment, drain() is called until it says true.
  // False: the outbox is full. Whoever goes on writing does not keep us longer than what the pipes can hold.
  void begin_drain() { left_to_drain_ = kLargestPipe * pipes_.size(); }
  Result<bool> drain(Outbox& outbox);

  void close();
  const OutputMeter& meter() const { return meter_; }

 private:
  // As large as an ordinary user may make a pipe.
  static constexpr std::size_t kLargestPipe = 1 << 20;

  Result<std::size_t> read_from(std::size_t index, Outbox& outbox);

  std::array<sys::UniqueFd, 2> pipes_;
  OutputMeter meter_;
  std::optional<std::uint32_t> execution_;
  std::size_t left_to_drain_ = 0;
};

}  // namespace init
