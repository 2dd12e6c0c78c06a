#include "api/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "base/check.h"
#include "http/target.h"

namespace api {

using base::Code;

Call::Call(Services& services, Circumstances circumstances)
    : services_(services), of_(std::move(circumstances)) {}

const auth::Principal& Call::principal() const {
  BASE_CHECK(of_.principal.has_value());
  return *of_.principal;
}

const std::string& Call::operator[](std::string_view name) const {
  const auto found = std::ranges::find(of_.parameters, name, &Parameters::value_type::first);
  BASE_CHECK(found != of_.parameters.end());
  return found->second;
}

Result<std::uint64_t> Call::number(std::string_view name, std::uint64_t otherwise, std::uint64_t most) const {
  const auto text = query(name);
  if (!text) return otherwise;
  ASSIGN_OR_RETURN(const auto value, http::parse_number(*text, name));
  if (value <= most) return value;
  return base::fail(Code::kInvalid, fmt::format("'{}' has to be at most {}", name, most));
}

Result<bool> Call::truth(std::string_view name, bool otherwise) const {
  const auto text = query(name);
  if (!text) return otherwise;
  if (*text == "true" || *text == "false") return *text == "true";
  return base::fail(Code::kInvalid, fmt::format("'{}' has to be true or false", name));
}

Result<> Call::one_of(std::string_view name, std::initializer_list<std::string_view> known) const {
  const auto text = query(name);
  if (!text || std::ranges::find(known, *text) != known.end()) return {};
  return base::fail(Code::kInvalid, fmt::format("'{}' has to be one of: {}", name, fmt::join(known, ", ")));
}

Result<store::PageRequest> Call::page() const {
  constexpr std::uint64_t kMost = 500;
  ASSIGN_OR_RETURN(const auto limit, number("limit", 50, kMost));
  if (limit == 0) return base::fail(Code::kInvalid, "'limit' has to be at least 1");
  return store::PageRequest{.limit = limit, .cursor = query("cursor")};
}

io::Task<> Call::reply(unsigned status, boost::json::object document, std::vector<http::Header> headers) {
  const boost::json::value whole(std::move(document));
  http::Response response = http::json_response(status, boost::json::serialize(whole));
  std::ranges::move(headers, std::back_inserter(response.headers));
  replied_ = response;
  return of_.exchange->reply(std::move(response));
}

io::Task<> Call::reply_nothing() {
  replied_ = http::Response{.status = 204};
  return of_.exchange->reply(*replied_);
}

std::unexpected<base::Error> Call::refuse(http::Problem problem) {
  base::Error error{Code::kInvalid, problem.message};
  refusal_ = std::move(problem);
  return std::unexpected(std::move(error));
}

void Call::remember(unsigned status, const boost::json::object& document, http::Header header) {
  replied_ = http::json_response(status, boost::json::serialize(document));
  replied_->headers.push_back(std::move(header));
}

boost::json::object page_document(boost::json::array items, const std::optional<std::string>& next) {
  boost::json::object page;
  page["items"] = std::move(items);
  page["next_cursor"] = next ? boost::json::value(*next) : boost::json::value(nullptr);
  return page;
}

}  // namespace api
