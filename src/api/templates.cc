#include <algorithm>
#include <set>

#include "api/routes.h"

namespace api {

namespace {

namespace json = boost::json;

json::object document_of(const catalogue::Template& found, const std::string& name) {
  std::set<std::string> languages;
  std::set<std::string> runtimes;
  for (const auto& runtime : found.runtimes) {
    languages.insert(runtime.language);
    runtimes.insert(catalogue::name_of(runtime));
  }
  json::object document{{"name", name},
                        {"digest", found.digest},
                        {"languages", json::array(languages.begin(), languages.end())},
                        {"runtimes", json::array(runtimes.begin(), runtimes.end())},
                        {"size_bytes", found.bytes}};
  document["created_at"] = found.created.empty() ? json::value(nullptr) : json::value(found.created);
  return document;
}

// One that has several names is there under each.
io::Task<> list(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto* all, call->services().templates.all());
  json::array items;
  for (const auto& each : all->templates) {
    for (const std::string& name : each.names) items.push_back(document_of(each, name));
  }
  co_return co_await call->reply(200, page_document(std::move(items), std::nullopt));
}

io::Task<> get(CallPtr call) {
  const std::string& name = (*call)["template"];
  CO_ASSIGN_OR_RETURN(const auto* all, call->services().templates.all());
  CO_ASSIGN_OR_RETURN(const auto* found, all->resolve(name));
  const bool is_named = std::ranges::find(found->names, name) != found->names.end();
  const std::string shown = is_named ? name : found->names.empty() ? found->digest : found->names.front();
  co_return co_await call->reply(200, document_of(*found, shown));
}

}  // namespace

Routes template_routes() {
  return {
      {"GET", "/v1/templates", Access::kRead, Body::kNone, list},
      {"GET", "/v1/templates/{template}", Access::kRead, Body::kNone, get},
  };
}

}  // namespace api
