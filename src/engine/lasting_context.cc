#include "engine/lasting_context.h"

#include <boost/json/object.hpp>

#include "engine/notice.h"

namespace engine {

namespace {

constexpr std::chrono::seconds kLongestCheck{5};

// Hears what the runtime thinks, and lets nothing else through.
class Judgement : public CellObserver {
 public:
  Result<> output(wire::init::Channel, std::string_view) override { return {}; }
  Result<> event(const Bundle& bundle) override {
    const auto* status = bundle.head().if_contains("status");
    if (status == nullptr || !status->is_string()) return {};
    if (status->get_string() == "incomplete") said = Completeness::kIncomplete;
    if (status->get_string() == "invalid") said = Completeness::kInvalid;
    return {};
  }
  Completeness said = Completeness::kComplete;
};

}  // namespace

Result<> LastingContext::start() {
  if (context_ && !context_->is_lost()) return {};
  context_.reset();
  ASSIGN_OR_RETURN(context_, Context::start(*sandbox_, *spawner_, options_));
  return {};
}

Result<Outcome> LastingContext::execute(const Cell& cell, CellObserver& observer) {
  const bool was_lost = had_state_ && (!context_ || context_->is_lost());
  RETURN_IF_ERROR(start());
  if (was_lost) RETURN_IF_ERROR(tell_of_loss(observer));
  had_state_ = true;
  return context_->execute(cell, observer);
}

Result<Completeness> LastingContext::check(const std::string& code, const std::string& language) {
  // A lost one comes back with the next cell, which tells of the loss.
  if (context_ && context_->is_lost()) return Completeness::kComplete;
  RETURN_IF_ERROR(start());
  Judgement judgement;
  const Cell cell{.code = code, .purpose = Purpose::kCheck, .language = language, .timeout = kLongestCheck};
  RETURN_IF_ERROR(context_->execute(cell, judgement));
  return judgement.said;
}

}  // namespace engine
