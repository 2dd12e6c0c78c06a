#include "api/file_handlers.h"
#include "api/file_words.h"
#include "api/sandbox_of.h"
#include "http/target.h"

namespace api {

namespace {

using base::Code;
using wire::file::Entry;
using wire::file::List;
using wire::file::Order;

// Names of one page together: JSON makes up to six bytes of one, and the sandbox chooses them.
constexpr std::size_t kMostText = 4 << 20;

Result<Order> order_of(const Call& call) {
  const std::string order = call.query("order").value_or("name");
  if (order == "name") return Order::kName;
  if (order == "newest") return Order::kNewestFirst;
  if (order == "largest") return Order::kLargestFirst;
  return base::fail(Code::kInvalid, "'order' has to be one of: name, newest, largest");
}

Result<std::uint64_t> positive(const Call& call, std::string_view name, std::uint64_t otherwise,
                               std::uint64_t most) {
  ASSIGN_OR_RETURN(const auto value, call.number(name, otherwise, most));
  if (value != 0) return value;
  return base::fail(Code::kInvalid, "'" + std::string(name) + "' has to be at least 1");
}

// A cursor is how many entries were told before.
Result<List> list_of(const Call& call, const fleet::Sandbox& sandbox) {
  constexpr std::uint64_t kMostSkipped = 1'000'000'000'000;
  List list;
  ASSIGN_OR_RETURN(list.path, queried_path(call, sandbox));
  ASSIGN_OR_RETURN(const auto depth, positive(call, "depth", 1, 1000));
  list.depth = static_cast<std::uint32_t>(depth);
  ASSIGN_OR_RETURN(list.order, order_of(call));
  ASSIGN_OR_RETURN(list.limit, positive(call, "limit", 1000, 10'000));
  ASSIGN_OR_RETURN(list.skip, call.number("cursor", 0, kMostSkipped));
  return list;
}

// A page ends early when its names are long; the next one goes on there.
boost::json::object listing_document(const std::vector<Entry>& entries, const List& list) {
  boost::json::array items;
  std::size_t text = 0;
  for (const Entry& entry : entries) {
    text += entry.path.size() + entry.target.size();
    if (items.size() == list.limit || (text > kMostText && !items.empty())) break;
    items.push_back(entry_document(entry));
  }
  std::optional<std::string> next;
  if (items.size() < entries.size()) next = std::to_string(list.skip + items.size());
  return page_document(std::move(items), next);
}

}  // namespace

io::Task<> stat_path(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  wire::file::Stat request;
  CO_ASSIGN_OR_RETURN(request.path, queried_path(*call, *sandbox));
  CO_ASSIGN_OR_RETURN(const bool follow, call->truth("follow", true));
  request.links = follow ? wire::file::Links::kFollow : wire::file::Links::kKeep;
  CO_ASSIGN_OR_RETURN(const auto entry, told(co_await fleet::stat(sandbox, std::move(request), soon())));
  co_return co_await call->reply(200, entry_document(entry));
}

io::Task<> list_directory(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  CO_ASSIGN_OR_RETURN(const List page, list_of(*call, *sandbox));
  // One more than is told, to know whether there is a next page.
  List request = page;
  ++request.limit;
  CO_ASSIGN_OR_RETURN(const auto entries, told(co_await fleet::list(sandbox, std::move(request), soon())));
  co_return co_await call->reply(200, listing_document(entries, page));
}

}  // namespace api
