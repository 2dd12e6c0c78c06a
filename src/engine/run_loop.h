#pragma once

#include <optional>

#include "engine/sandbox.h"

namespace engine {

// Carries one run from its start to its end: output out, input in, interruptions through.
class RunLoop {
 public:
  RunLoop(Sandbox& sandbox, std::uint32_t stream, RunObserver& observer)
      : sandbox_(sandbox), stream_(stream), observer_(observer) {}

  Result<Outcome> run();

 private:
  // Waits until the sandbox has something to say; serves the observer meanwhile.
  Result<> wait();
  Result<> pass_input();
  Result<> pass_interrupt();
  Result<std::optional<Outcome>> handle(const wire::init::Event& event);

  Sandbox& sandbox_;
  const std::uint32_t stream_;
  RunObserver& observer_;
  std::size_t input_under_way_ = 0;
  bool input_open_ = true;
};

}  // namespace engine
