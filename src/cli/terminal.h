#pragma once

#include "engine/sandbox.h"
#include "sys/fd.h"

namespace cli {

// The user's side of a run: output as it comes, input through, Ctrl-C first as an interrupt and then as a
// kill.
class Terminal final : public engine::RunObserver {
 public:
  static base::Result<Terminal> open();

  base::Result<> output(wire::init::Channel channel, std::string_view bytes) override;
  // A whole line on stdout, after whatever the program has left there.
  base::Result<> line(std::string_view text);
  int input_fd() const override { return 0; }
  int interrupt_fd() const override { return signals_.get(); }
  int take_interrupt() override;
  // The next Ctrl-C is a first one again.
  void forget_interrupts() { interrupts_ = 0; }

 private:
  explicit Terminal(sys::UniqueFd signals) : signals_(std::move(signals)) {}
  sys::UniqueFd signals_;
  int interrupts_ = 0;
  bool at_line_start_ = true;
};

}  // namespace cli
