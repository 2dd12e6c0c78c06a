#pragma once

#include <optional>

#include "base/ids.h"
#include "engine/cell.h"
#include "engine/sandbox.h"

namespace engine {

struct ContextKind {
  static constexpr std::size_t kLength = 12;
  static constexpr std::string_view kName = "a context id";
};
using ContextId = base::RandomId<ContextKind>;

struct ExecutionKind {
  static constexpr std::size_t kLength = 16;
  static constexpr std::string_view kName = "an execution id";
};
using ExecutionId = base::RandomId<ExecutionKind>;

// How an execution in one of many contexts has ended.
struct Ending {
  Outcome outcome;
  std::optional<base::Error> error;  // why it could not run, or was not heard to its end
};

// Whoever watches an execution in one of many contexts. It is told while everybody else waits: one that takes
// its time, or has to wait for somebody, puts things aside and comes back to them. It may call whatever it
// likes of Contexts except pump(). An output() or event() that fails ends the execution as cancelled, because
// nobody is left to run it for. What CellObserver has for interruptions is not asked here.
class ExecutionObserver : public CellObserver {
 public:
  // Its turn has come; maybe before whoever asked for it has been given its id.
  virtual void started(const ExecutionId& /*execution*/) {}
  // Of a process: there is room for more input.
  virtual void input_taken() {}
  // The last thing that is heard, once in any case.
  virtual void ended(const Ending& ending) = 0;
};

}  // namespace engine
