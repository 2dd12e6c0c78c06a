#pragma once

#include <boost/json/fwd.hpp>

#include "cli/output_files.h"
#include "cli/terminal.h"
#include "engine/context.h"

namespace cli {

// Shows the user what cells write and tell. Ctrl-C first interrupts the cell, then ends the context.
class CellEvents : public engine::CellObserver {
 public:
  CellEvents(Terminal& terminal, OutputFiles files) : terminal_(terminal), files_(std::move(files)) {}

  // Before and after each cell.
  virtual Result<> begin() = 0;
  virtual Result<> end(const engine::Outcome& outcome) = 0;
  // After all of them.
  virtual Result<> receipt(const boost::json::object& receipt) = 0;

  int interrupt_fd() const override { return terminal_.interrupt_fd(); }
  int take_interrupt() override { return terminal_.take_interrupt(); }

 protected:
  Terminal& terminal_;
  OutputFiles files_;
};

}  // namespace cli
