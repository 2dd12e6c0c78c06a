#pragma once

#include "cli/cell_events.h"

namespace cli {

// For people: output as it comes, values as text, tracebacks, and the names of saved files.
class TextEvents final : public CellEvents {
 public:
  using CellEvents::CellEvents;

  Result<> output(wire::init::Channel channel, std::string_view bytes) override;
  Result<> event(const engine::Bundle& bundle) override;

 private:
  Result<> show(const engine::Bundle& bundle);
  Result<> tell_of_files(const engine::Bundle& bundle);
};

}  // namespace cli
