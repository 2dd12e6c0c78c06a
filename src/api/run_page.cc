#include "api/run_page.h"

#include <algorithm>
#include <ranges>

#include "base/text_of_bytes.h"
#include "http/target.h"

namespace api {

namespace {

std::uint64_t place_of(const fleet::Run& run) {
  return static_cast<std::uint64_t>(run.facts().asked.time_since_epoch().count());
}

}  // namespace

Result<fleet::RunPtr> find_run(fleet::Sandbox& sandbox, std::string_view id) {
  ASSIGN_OR_RETURN(const auto parsed, engine::ExecutionId::parse(id));
  return sandbox.find(parsed);
}

Result<store::Page<fleet::RunPtr>> page_of_runs(const std::vector<fleet::RunPtr>& oldest_first,
                                                const store::PageRequest& request,
                                                const IsWanted& is_wanted) {
  std::uint64_t before = UINT64_MAX;
  if (request.cursor) {
    const auto parsed = http::parse_number(*request.cursor, "cursor");
    if (!parsed)
      return base::fail(base::Code::kInvalid, "'cursor' has to be the next_cursor of a page before");
    before = *parsed;
  }
  store::Page<fleet::RunPtr> page;
  for (const auto& run : oldest_first | std::views::reverse) {
    if (place_of(*run) >= before || !is_wanted(*run)) continue;
    if (page.items.size() == request.limit) {
      page.next = std::to_string(place_of(*page.items.back()));
      break;
    }
    page.items.push_back(run);
  }
  return page;
}

std::string text_document(std::string_view bytes) {
  base::TextOfBytes text;
  std::string whole = text.take(bytes);
  return whole + text.rest();
}

boost::json::array texts_document(const std::vector<std::string>& texts) {
  boost::json::array array;
  for (const std::string& text : texts) array.emplace_back(text_document(text));
  return array;
}

boost::json::array listed_argv(const std::vector<std::string>& argv) {
  boost::json::array array;
  for (const std::string& text : argv | std::views::take(wire::init::kMaxListedArguments)) {
    array.emplace_back(text_document(std::string_view(text).substr(0, wire::init::kMaxListedArgument)));
  }
  return array;
}

}  // namespace api
