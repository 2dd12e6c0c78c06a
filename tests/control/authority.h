#pragma once

#include <array>
#include <memory>

#include "jail/control.h"
#include "tests/control/weak_steps.h"

// What the control spawner may do and the product's may not.
namespace control {

using base::Result;

class Authority final : public jail::ControlAuthority {
 public:
  static Result<std::unique_ptr<Authority>> make(const jail::Materials& usual);

  void weaken(jail::Spec& spec, std::uint32_t weaknesses) const override;
  void weaken(jail::Plan& plan, std::uint32_t weaknesses) const override;
  const jail::Materials* materials_for(std::uint32_t weaknesses, const jail::Materials& usual) const override;
  jail::StepHook* hook_for(std::uint32_t weaknesses) const override;

 private:
  Authority() = default;

  jail::Materials unfiltered_;  // the same init, under filters that allow everything
  jail::Materials readable_;    // the usual filters, and an init that everybody may read
  jail::Materials unfiltered_and_readable_;
  unsigned userfaultfd_minor_ = 0;
  std::unique_ptr<WeakSteps> steps_ = std::make_unique<WeakSteps>();
};

}  // namespace control
