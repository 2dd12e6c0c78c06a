#include "engine/notice.h"

namespace engine {

namespace {
constexpr std::string_view kStateIsGone =
    R"({"type": "notice", "text": "the context was lost and has been started again: its state is gone"})";
}  // namespace

Result<> tell_of_loss(CellObserver& observer) {
  ASSIGN_OR_RETURN(const auto notice,
                   Bundle::parse(std::to_string(kStateIsGone.size()) + "\n" + std::string(kStateIsGone)));
  return observer.event(notice);
}

}  // namespace engine
