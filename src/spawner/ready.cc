#include "spawner/ready.h"

#include <algorithm>
#include <iterator>

namespace spawner {

namespace {

using wire::spawner::Create;

// A host directory is opened for one sandbox, when it is asked for; a build is one of its kind.
bool may_be_made_ahead(const Create& request) {
  return request.workspace_access == wire::spawner::Access::kNone &&
         request.root_kind == wire::spawner::RootKind::kTemplate;
}

}  // namespace

bool is_same(const Create& one, const Create& other) {
  return std::ranges::equal(wire::spawner::packet_of(one), wire::spawner::packet_of(other));
}

ReadySandboxes::Kinds::iterator ReadySandboxes::find(const Create& request) {
  return std::ranges::find_if(kinds_, [&](const Kind& kind) { return is_same(kind.shape, request); });
}

std::vector<Ready> ReadySandboxes::notice(const Create& request) {
  ++asked_;
  const auto found = find(request);
  if (found == kinds_.end()) {
    kinds_.push_front({.shape = request});
  } else {
    found->wanted = may_be_made_ahead(request);
    kinds_.splice(kinds_.begin(), kinds_, found);
  }
  kinds_.front().last_asked = asked_;
  auto given_up = give_up_if([&](const Kind& kind) { return asked_ - kind.last_asked >= kForgotten; });
  if (kinds_.size() > kMostKinds) forget_one(given_up);
  trim(given_up);
  return given_up;
}

// What came once may never come again: it is forgotten first. But not what has just come.
void ReadySandboxes::forget_one(std::vector<Ready>& given_up) {
  auto victim = std::ranges::find_if(std::next(kinds_.begin()), kinds_.end(),
                                     [](const Kind& kind) { return !kind.wanted; });
  if (victim == kinds_.end()) victim = std::prev(kinds_.end());
  std::ranges::move(victim->ready, std::back_inserter(given_up));
  kinds_.erase(victim);
}

void ReadySandboxes::trim(std::vector<Ready>& given_up) {
  if (sharers() < 2) return;
  for (Kind& kind : kinds_) {
    while (kind.ready.size() > share() || (kind.ready.size() > 1 && kind.memory() > memory_share())) {
      given_up.push_back(std::move(kind.ready.back()));
      kind.ready.pop_back();
    }
  }
}

std::optional<Ready> ReadySandboxes::take(const Create& request) {
  const auto kind = find(request);
  if (kind == kinds_.end() || kind->ready.empty()) return std::nullopt;
  Ready ready = std::move(kind->ready.front());
  kind->ready.pop_front();
  return ready;
}

const Create* ReadySandboxes::wanted(std::size_t under_way) const {
  if (count() + under_way >= room_.most || memory() >= room_.memory_bytes) return nullptr;
  const auto kind = std::ranges::find_if(kinds_, [&](const Kind& one) {
    return one.wanted && one.ready.size() < share() && one.memory() < memory_share();
  });
  return kind == kinds_.end() ? nullptr : &kind->shape;
}

bool ReadySandboxes::runs_low() const {
  return !kinds_.empty() && kinds_.front().wanted && kinds_.front().ready.size() < 2;
}

void ReadySandboxes::put(Ready ready) {
  auto kind = find(ready.shape);
  // Forgotten while it was made; it is as good as any, should somebody ask.
  if (kind == kinds_.end()) {
    kind = kinds_.insert(kinds_.end(), {.shape = ready.shape, .last_asked = asked_});
  }
  // The better ones go first.
  kind->ready.insert(ready.is_furnished ? kind->ready.begin() : kind->ready.end(), std::move(ready));
}

bool ReadySandboxes::has_unfurnished() const {
  return std::ranges::any_of(
      kinds_, [](const Kind& kind) { return !kind.ready.empty() && !kind.ready.back().is_furnished; });
}

std::optional<Ready> ReadySandboxes::take_unfurnished() {
  for (Kind& kind : kinds_) {
    if (kind.ready.empty() || kind.ready.back().is_furnished) continue;
    Ready ready = std::move(kind.ready.back());
    kind.ready.pop_back();
    return ready;
  }
  return std::nullopt;
}

void ReadySandboxes::want_no_more(const Create& shape) {
  if (const auto kind = find(shape); kind != kinds_.end()) kind->wanted = false;
}

std::size_t ReadySandboxes::share() const { return room_.most / std::max<std::size_t>(sharers(), 1); }

std::uint64_t ReadySandboxes::memory_share() const {
  return room_.memory_bytes / std::max<std::size_t>(sharers(), 1);
}

std::size_t ReadySandboxes::sharers() const {
  return static_cast<std::size_t>(std::ranges::count_if(kinds_, &Kind::wanted));
}

std::size_t ReadySandboxes::count() const {
  std::size_t count = 0;
  for (const Kind& kind : kinds_) count += kind.ready.size();
  return count;
}

std::uint64_t ReadySandboxes::memory() const {
  std::uint64_t bytes = 0;
  for (const Kind& kind : kinds_) bytes += kind.memory();
  return bytes;
}

std::uint64_t ReadySandboxes::Kind::memory() const {
  std::uint64_t bytes = 0;
  for (const Ready& one : ready) bytes += one.memory_bytes;
  return bytes;
}

template <class Predicate>
std::vector<Ready> ReadySandboxes::give_up_if(Predicate predicate) {
  std::vector<Ready> given_up;
  std::erase_if(kinds_, [&](Kind& kind) {
    const bool gone = predicate(kind);
    if (gone) std::ranges::move(kind.ready, std::back_inserter(given_up));
    return gone;
  });
  return given_up;
}

std::vector<Ready> ReadySandboxes::give_up() {
  return give_up_if([](const Kind&) { return true; });
}

std::vector<Ready> ReadySandboxes::give_up(std::string_view root) {
  return give_up_if([&](const Kind& kind) { return kind.shape.root.view() == root; });
}

}  // namespace spawner
