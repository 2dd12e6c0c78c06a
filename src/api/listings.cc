#include "api/file_handlers.h"
#include "api/file_words.h"
#include "api/sandbox_of.h"
#include "http/target.h"

namespace api {

namespace {

using base::Code;
using Late = fleet::FileStream::Late;
using wire::file::Entry;
using wire::file::List;
using wire::file::Order;

// Names of one page together. A sandbox chooses them, and may have no end of them.
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

// One page. It ends early when its names are long; the next one goes on there.
class Page {
 public:
  explicit Page(std::uint64_t limit) : limit_(limit) {}

  // False: it is full, and there is more.
  bool add(const Entry& entry) {
    text_ += entry.path.size() + entry.target.size();
    if (items_.size() == limit_ || (text_ > kMostText && !items_.empty())) is_full_ = true;
    if (!is_full_) items_.push_back(entry_document(entry));
    return !is_full_;
  }

  boost::json::object document(std::uint64_t skipped) {
    std::optional<std::string> next;
    if (is_full_) next = std::to_string(skipped + items_.size());
    return page_document(std::move(items_), next);
  }

 private:
  const std::uint64_t limit_;
  std::size_t text_ = 0;
  bool is_full_ = false;
  boost::json::array items_;
};

io::Task<Page> page_of(fleet::SandboxPtr sandbox, List list) {
  Page page(list.limit);
  // One more than is told, to know whether there is a next page.
  ++list.limit;
  const auto until = soon();
  CO_ASSIGN_OR_RETURN(auto stream, fleet::FileStream::begin(sandbox, list));
  while (true) {
    CO_ASSIGN_OR_RETURN(const auto event, told(co_await stream.next_event(until, Late::kCancels)));
    if (!event) co_return page;
    const auto* entries = std::get_if<wire::file::Entries>(&*event);
    if (entries == nullptr)
      co_return base::fail(Code::kConflict, "the sandbox answers something else than a list");
    for (const Entry& entry : entries->entries) {
      if (!page.add(entry)) co_return page;
    }
  }
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
  CO_ASSIGN_OR_RETURN(const List list, list_of(*call, *sandbox));
  CO_ASSIGN_OR_RETURN(auto page, co_await page_of(sandbox, list));
  co_return co_await call->reply(200, page.document(list.skip));
}

}  // namespace api
