#pragma once

#include <chrono>
#include <string>

#include "engine/bundle.h"
#include "wire/init_messages.h"

namespace engine {

// To check code is to ask whether it is a whole cell: nothing of it is run.
enum class Purpose { kRun, kCheck };

struct Cell {
  std::string code;
  Purpose purpose = Purpose::kRun;
  std::string input;     // what the code may read
  std::string language;  // for a runtime of several; empty: its own
  std::chrono::milliseconds timeout{0};
  std::chrono::milliseconds grace{2000};
  std::uint64_t output_cap = 10 << 20;
};

// Whoever watches an execution: what was written and what was told, in order.
class CellObserver {
 public:
  virtual ~CellObserver() = default;
  // An error ends the watching.
  virtual Result<> output(wire::init::Channel channel, std::string_view bytes) = 0;
  virtual Result<> event(const Bundle& bundle) = 0;
  // What to wait on beside the sandbox, -1 for none: readable when the execution is to be interrupted.
  virtual int interrupt_fd() const { return -1; }
  // The signal to send, 0 for none; SIGKILL ends the context.
  virtual int take_interrupt() { return 0; }
};

}  // namespace engine
