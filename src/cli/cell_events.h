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

  // Before and after each cell, and after all of them; people are told of these otherwise.
  virtual Result<> begin() { return {}; }
  virtual Result<> end(const engine::Outcome&) { return {}; }
  virtual Result<> receipt(const boost::json::object&) { return {}; }

  int interrupt_fd() const override { return terminal_.interrupt_fd(); }
  int take_interrupt() override { return terminal_.take_interrupt(); }

 protected:
  Terminal& terminal_;
  OutputFiles files_;
};

}  // namespace cli
