#include "spawner/zygotes.h"

#include <linux/openat2.h>

#include <algorithm>
#include <utility>

#include "jail/zygote.h"

namespace spawner {

namespace {

using base::Code;

// As seen from inside the template; no link of it leads out.
Result<> check_has_zygote(const Zygotes::Origin& origin) {
  ASSIGN_OR_RETURN(const auto root, sys::open(origin.directory, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  const auto program =
      sys::openat2(root.get(), jail::kZygoteProgram, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
  if (program) return {};
  if (program.error().code != Code::kNotFound) return std::unexpected(program.error());
  return base::fail(Code::kUnsupported, "template " + origin.name.substr(0, 12) + " has no zygote (/" +
                                            jail::kZygoteProgram + " is missing)");
}

base::Error of_zygote(const std::string& root, base::Error error) {
  return base::with_context("zygote of template " + root.substr(0, 12), std::move(error));
}

}  // namespace

Result<Zygote*> Zygotes::of(const Origin& origin) {
  if (const auto found = zygotes_.find(origin.name); found != zygotes_.end()) {
    const auto heard = found->second.listen();
    if (heard) return &found->second;
    lose(origin.name, heard.error());
  }
  if (const auto found = zygotes_.find(origin.name); found != zygotes_.end()) return &found->second;
  RETURN_IF_ERROR(check_has_zygote(origin));
  Zygote& zygote = zygotes_.emplace(origin.name, Zygote(origin.nursery->slot)).first->second;
  parts_.blocks.reserve_block(zygote.slot());
  auto started = zygote.start(parts_, origin.directory, *origin.nursery);
  if (started) return &zygote;
  auto error = of_zygote(origin.name, std::move(started).error());
  drop(origin.name);
  return std::unexpected(std::move(error));
}

Result<> Zygotes::warm(int client, const Origin& origin) {
  ASSIGN_OR_RETURN(Zygote* const zygote, of(origin));
  RETURN_IF_ERROR(zygote->set_haste(parts_, Zygote::Haste::kSome));
  errands_.push_back({.client = client, .origin = origin, .to = std::nullopt});
  return {};
}

Result<> Zygotes::enter(int client, const Origin& origin, Destination to) {
  ASSIGN_OR_RETURN(Zygote* const zygote, of(origin));
  const bool is_awaited = client != kNobody || has_client(origin.name);
  RETURN_IF_ERROR(zygote->set_haste(parts_, is_awaited ? Zygote::Haste::kSome : Zygote::Haste::kNone));
  errands_.push_back({.client = client, .origin = origin, .to = std::move(to)});
  return {};
}

bool Zygotes::has_client(const std::string& root) const {
  return std::ranges::any_of(
      errands_, [&](const Errand& errand) { return errand.client != kNobody && errand.origin.name == root; });
}

Result<bool> Zygotes::ready(const Origin& origin) {
  ASSIGN_OR_RETURN(const Zygote* const zygote, of(origin));
  return zygote->is_ready();
}

void Zygotes::add_polls(std::vector<pollfd>& polls) const {
  for (const auto& [root, zygote] : zygotes_) polls.push_back({zygote.fd(), POLLIN, 0});
  for (const Errand& errand : errands_) {
    if (errand.arrival) polls.push_back({errand.arrival->fd(), POLLIN, 0});
  }
}

std::ptrdiff_t Zygotes::under_way(const std::string& root) const {
  return std::ranges::count_if(
      errands_, [&](const Errand& errand) { return errand.arrival && errand.origin.name == root; });
}

std::optional<Result<>> Zygotes::advance(Errand& errand) {
  Zygote& zygote = zygotes_.at(errand.origin.name);
  if (!zygote.is_ready()) return std::nullopt;
  if (!errand.to) return Result<>();
  if (!errand.arrival) {
    if (under_way(errand.origin.name) >= kMostUnderWay) return std::nullopt;
    auto begun = Arrival::begin(*errand.to, zygote);
    if (!begun) return std::unexpected(std::move(begun).error());
    errand.arrival = *std::move(begun);
    return std::nullopt;
  }
  auto in = errand.arrival->go_on(parts_.cgroups);
  if (in && !*in) return std::nullopt;
  if (in) return Result<>();
  if (in.error().code == Code::kTimeout && !errand.arrival->is_born()) zygote.condemn();
  errand.arrival->abandon();
  return std::unexpected(of_zygote(errand.origin.name, std::move(in).error()));
}

Zygotes::Answer Zygotes::answer_of(const Errand& errand, Result<> outcome) {
  return {.client = errand.client,
          .sandbox = errand.to ? std::optional(errand.to->sandbox) : std::nullopt,
          .outcome = std::move(outcome)};
}

void Zygotes::fail_errands(const std::string& root, const base::Error& error) {
  for (auto at = errands_.begin(); at != errands_.end();) {
    if (at->origin.name != root) {
      ++at;
      continue;
    }
    if (at->arrival) at->arrival->abandon();
    answers_.push_back(answer_of(*at, std::unexpected(error)));
    at = errands_.erase(at);
  }
}

void Zygotes::lose(const std::string& root, const base::Error& error) {
  const bool has_served = zygotes_.at(root).is_ready();
  drop(root);
  const Errand* next = nullptr;
  bool is_hopeless = !has_served;
  for (Errand& errand : errands_) {
    if (errand.origin.name != root) continue;
    if (errand.arrival) errand.arrival->abandon();
    errand.arrival.reset();
    is_hopeless = is_hopeless || std::exchange(errand.is_second_try, true);
    next = &errand;
  }
  if (next == nullptr) return;
  if (is_hopeless) return fail_errands(root, of_zygote(root, error));
  const Origin origin = next->origin;
  auto another = of(origin);
  if (another && has_client(root)) {
    auto hurried = (*another)->set_haste(parts_, Zygote::Haste::kSome);
    if (!hurried) another = std::unexpected(std::move(hurried).error());
  }
  if (!another) fail_errands(root, another.error());
}

std::vector<Zygotes::Answer> Zygotes::tend() {
  std::map<std::string, base::Error> lost;
  for (auto& [root, zygote] : zygotes_) {
    // What is left of one that was replaced may have given this back.
    parts_.blocks.reserve_block(zygote.slot());
    if (const auto heard = zygote.listen(); !heard) lost.emplace(root, heard.error());
  }
  for (const auto& [root, error] : lost) lose(root, error);
  for (auto at = errands_.begin(); at != errands_.end();) {
    auto over = advance(*at);
    if (!over) {
      ++at;
      continue;
    }
    answers_.push_back(answer_of(*at, *std::move(over)));
    at = errands_.erase(at);
  }
  return std::exchange(answers_, {});
}

void Zygotes::drop(const std::string& root) {
  const auto found = zygotes_.find(root);
  if (found == zygotes_.end()) return;
  Zygote& zygote = found->second;
  endings_.begin({.id = zygote.id(), .first_id = zygote.slot(), .pidfd = zygote.take_pidfd(), .disk = {}});
  zygotes_.erase(found);
}

void Zygotes::end(const std::string& root) {
  fail_errands(root, of_zygote(root, {Code::kUnavailable, "its template is given up"}));
  drop(root);
}

void Zygotes::end_all() {
  while (!zygotes_.empty()) end(zygotes_.begin()->first);
}

}  // namespace spawner
