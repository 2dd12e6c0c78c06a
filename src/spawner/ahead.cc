// What is made before anybody asks for it: whole sandboxes of the kinds that are asked for again, contexts in
// them, and berths for the template of the last request.
#include <utility>

#include "spawner/sandboxes.h"
#include "sys/process.h"

namespace spawner {

std::optional<Ready> Sandboxes::take_ready(const wire::spawner::Create& request) {
  while (true) {
    auto ready = ready_.take(request);
    if (!ready) ready = take_made(request);
    if (!ready) return std::nullopt;
    if (!sys::has_ended(ready->sandbox.pidfd.get())) {
      ready->created.steps.clear();  // they were nothing that this request took part in
      return ready;
    }
    end(*std::move(ready));
  }
}

// Sooner there than one that is begun now. A context that was to wait in it comes when it is asked for.
std::optional<Ready> Sandboxes::take_made(const wire::spawner::Create& request) {
  if (!making_ || !is_same(making_->ready.shape, request)) return std::nullopt;
  (void)cgroups_.set_idle(making_->ready.created.id.text(), false);
  auto made = finish_making(*std::exchange(making_, std::nullopt));
  if (made) return *std::move(made);
  ready_.want_no_more(request);
  return std::nullopt;
}

void Sandboxes::look_ahead(const std::string& root) {
  if (root == ahead_for_) return;
  if (const Nursery* const before = nurseries_.find(ahead_for_); before != nullptr) {
    end_all(berths_.give_up(before->slot));
  }
  ahead_for_ = root;
}

bool Sandboxes::wants_preparation() const {
  if (wanted() != nullptr || wants_furnishing()) return true;
  const Nursery* const nursery = nurseries_.find(ahead_for_);
  return nursery != nullptr && berths_.wants_more(*nursery);
}

const wire::spawner::Create* Sandboxes::wanted() const {
  if (making_ || furnishing_.size() >= kMostFurnished) return nullptr;
  return ready_.wanted(furnishing_.size());
}

bool Sandboxes::wants_furnishing() const {
  return furnishing_.size() < kMostFurnished && ready_.has_unfurnished();
}

// At the rate at which they go now there will be none soon.
bool Sandboxes::is_preparation_urgent() const { return ready_.runs_low() && wanted() != nullptr; }

// When something fails here, whoever asks next makes it for himself and hears why that does not work.
void Sandboxes::prepare(Haste haste) {
  // A context takes longer to come than a sandbox to be made: it waits until nobody is served.
  if (haste == Haste::kNone && wants_furnishing()) return furnish(*ready_.take_unfurnished());
  if (const auto* const shape = wanted()) {
    const auto request = *shape;
    auto making = begin_making(request, Patience::kNone);
    if (!making) return ready_.want_no_more(request);
    making_ = *std::move(making);
    return;
  }
  const Nursery* const nursery = nurseries_.find(ahead_for_);
  if (nursery == nullptr || !berths_.wants_more(*nursery) || berths_.prepare(*nursery)) return;
  look_ahead("");
  end_all(berths_.take_failures());
}

void Sandboxes::tend_preparation() {
  if (making_ && making_->building.is_over()) finish_preparation();
}

void Sandboxes::finish_preparation() {
  const auto shape = making_->ready.shape;
  auto made = finish_making(*std::exchange(making_, std::nullopt));
  if (!made) return ready_.want_no_more(shape);
  made->is_furnished = shape.furniture == wire::spawner::Furniture::kNone;
  keep(*std::move(made));
}

void Sandboxes::furnish(Ready ready) {
  const auto begun = enter_early(ready);
  // A template without a zygote has contexts that start cold, and what cannot come now is not tried again.
  ready.is_furnished = true;
  if (!begun) return keep(std::move(ready));
  const auto id = ready.created.id;
  furnishing_.emplace(id, std::move(ready));
}

void Sandboxes::keep(Ready ready) {
  ready.memory_bytes = cgroups_.memory(ready.created.id.text()).value_or(0);
  ready_.put(std::move(ready));
}

std::vector<Zygotes::Answer> Sandboxes::tend_zygotes() {
  auto answers = zygotes_.tend();
  std::erase_if(answers, [&](const Zygotes::Answer& answer) {
    if (answer.client != Zygotes::kNobody) return false;
    auto furnished = furnishing_.extract(*answer.sandbox);
    if (furnished) keep(std::move(furnished.mapped()));
    return true;
  });
  return answers;
}

void Sandboxes::give_up_ready() {
  if (making_) end(std::move(making_->ready));
  making_.reset();
  for (auto& [id, ready] : furnishing_) end(std::move(ready));
  furnishing_.clear();
  end_all(ready_.give_up());
}

void Sandboxes::give_up_ready(std::string_view root) {
  if (making_ && making_->ready.shape.root.view() == root) {
    end(std::move(making_->ready));
    making_.reset();
  }
  for (auto at = furnishing_.begin(); at != furnishing_.end();) {
    if (at->second.shape.root.view() != root) {
      ++at;
      continue;
    }
    end(std::move(at->second));
    at = furnishing_.erase(at);
  }
  end_all(ready_.give_up(root));
}

void Sandboxes::give_up_ahead() {
  give_up_ready();
  ahead_for_.clear();
  end_all(berths_.give_up_all());
}

}  // namespace spawner
