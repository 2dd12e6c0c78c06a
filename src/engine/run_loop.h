#pragma once

#include <optional>

#include "engine/processes.h"

namespace engine {

// Carries one run from its start to its end: output out, input in, interruptions through.
class RunLoop {
 public:
  RunLoop(Sandbox& sandbox, std::uint32_t stream, RunObserver& observer)
      : sandbox_(sandbox), stream_(stream), observer_(observer) {}

  // What this loop has of the process already, and what is known of that.
  void go_on(Offsets from, const wire::init::Found& found);
  Result<Outcome> run();

 private:
  // Waits until the sandbox has something to say; serves the observer meanwhile.
  Result<> wait();
  Result<> pass_input();
  Result<> pass_interrupt();
  Result<> pass_output(const wire::init::Output& output);
  Result<std::optional<Outcome>> handle(const wire::init::Event& event);

  Sandbox& sandbox_;
  const std::uint32_t stream_;
  RunObserver& observer_;
  Offsets have_;
  std::size_t input_under_way_ = 0;
  bool input_open_ = true;
};

}  // namespace engine
