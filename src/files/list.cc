#include "files/list.h"

#include <algorithm>

#include "files/entry.h"
#include "files/tree_walk.h"

namespace files {

namespace {

using wire::file::Order;

constexpr std::size_t kBatchBytes = 32 << 10;
constexpr std::size_t kEntryOverhead = 64;

class Lister : public Visitor {
 public:
  Lister(Call& call, const wire::file::List& request) : call_(call), request_(request) {}

  Result<Next> enter(const Met& met) override {
    RETURN_IF_ERROR(call_.check());
    if (met.path.size() > wire::file::kMaxPath) return Next::kGoOn;
    if (++met_ > request_.skip) {
      auto entry = entry_of(met.parent, met.name, met.status);
      // A link that is none any more has gone, as far as this list is concerned.
      if (!entry) return Next::kGoOn;
      entry->path = met.path;
      RETURN_IF_ERROR(add(*std::move(entry)));
      if (request_.limit != 0 && listed_ == request_.limit) return Next::kStop;
    }
    return met.depth < request_.depth ? Next::kGoIn : Next::kGoOn;
  }

  Result<> closed(const std::string&, base::Error) override { return {}; }

  void sort(int directory, std::vector<std::string>& names) override {
    if (request_.order == Order::kName) return Visitor::sort(directory, names);
    constexpr struct stat kUnknown{};
    std::vector<std::pair<std::int64_t, std::string>> ranked;
    for (std::string& name : names) {
      const auto status = sys::fstatat(directory, name).value_or(kUnknown);
      const std::int64_t newest = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
      ranked.emplace_back(request_.order == Order::kNewestFirst ? newest : status.st_size, std::move(name));
    }
    std::ranges::sort(ranked, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    std::ranges::transform(ranked, names.begin(), [](auto& one) { return std::move(one.second); });
  }

  Result<wire::file::Done> finish() {
    RETURN_IF_ERROR(flush());
    return wire::file::Done{.entries = listed_};
  }

 private:
  Result<> add(wire::file::Entry entry) {
    ++listed_;
    bytes_ += kEntryOverhead + entry.path.size() + entry.target.size();
    batch_.entries.push_back(std::move(entry));
    return bytes_ >= kBatchBytes || batch_.entries.size() == wire::file::kMaxEntries ? flush() : Result<>();
  }

  Result<> flush() {
    bytes_ = 0;
    const wire::file::Entries batch = std::exchange(batch_, {});
    return batch.entries.empty() ? Result<>() : call_.send(batch);
  }

  Call& call_;
  const wire::file::List& request_;
  wire::file::Entries batch_;
  std::size_t bytes_ = 0;
  std::uint64_t met_ = 0;
  std::uint64_t listed_ = 0;
};

}  // namespace

Result<wire::file::Done> list(Call& call, const wire::file::List& request) {
  ASSIGN_OR_RETURN(const auto place, resolve_existing(request.path, Links::kFollow));
  if (!place.is_directory()) {
    return base::fail(
        base::Code::kConflict,
        request.path + " is " + std::string(name_of_kind(place.status->st_mode)) + ", not a directory");
  }
  auto top = sys::openat(place.parent.get(), place.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!top) return base::failed_call("open(" + request.path + ")", top.error().sys_errno);
  Lister lister(call, request);
  RETURN_IF_ERROR(walk_tree(top->get(), lister));
  return lister.finish();
}

}  // namespace files
