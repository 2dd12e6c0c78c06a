#include <fmt/format.h>

#include <algorithm>

#include "api/clock.h"
#include "api/routes.h"
#include "api/run_wish.h"
#include "api/sandbox_of.h"
#include "api/sandbox_wish.h"

namespace api {

namespace {

namespace json = boost::json;

// The execution that runs in a context, if any does.
json::value running_in(fleet::Sandbox& sandbox, const engine::ContextId& context) {
  for (const fleet::RunPtr& run : sandbox.runs()) {
    if (run->state() == fleet::RunState::kRunning && run->facts().context == context)
      return json::value(run->id().text());
  }
  return nullptr;
}

json::object context_document(fleet::Sandbox& sandbox, const engine::ContextInfo& info) {
  json::object document{{"id", info.id.text()},
                        {"language", info.name},
                        {"state", info.state == engine::ContextState::kBusy ? "busy" : "idle"},
                        {"default", sandbox.is_default_context(info.id)},
                        {"cwd", info.cwd},
                        {"created_at", text_of(to_time(info.created))},
                        {"waiting", info.waiting}};
  document["execution"] = running_in(sandbox, info.id);
  return document;
}

struct Meant {
  fleet::SandboxPtr sandbox;
  engine::ContextId id;
};

io::Task<Meant> context_of(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto sandbox, co_await sandbox_of(call));
  CO_ASSIGN_OR_RETURN(auto id, engine::ContextId::parse((*call)["context"]));
  CO_RETURN_IF_ERROR(sandbox->contexts().find(id));
  Meant meant{.sandbox = std::move(sandbox), .id = std::move(id)};
  co_return meant;
}

io::Task<> reply_context(CallPtr call, Meant meant, unsigned status = 200) {
  CO_ASSIGN_OR_RETURN(const auto info, meant.sandbox->contexts().find(meant.id));
  auto document = context_document(*meant.sandbox, info);
  std::vector<http::Header> headers;
  if (status == 201) {
    headers.push_back(
        {"Location", fmt::format("/v1/sandboxes/{}/contexts/{}", meant.sandbox->id(), meant.id.text())});
  }
  co_return co_await call->reply(status, std::move(document), std::move(headers));
}

io::Task<> create(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto sandbox, co_await sandbox_of(call));
  Fields fields(call->body());
  RunWish language;
  read_code(fields, language);
  fleet::ContextWish wish;
  if (language.language) wish.language = *language.language;
  if (const auto cwd = read_cwd(fields)) wish.cwd = absolute(*sandbox, *cwd);
  wish.environment = read_environment(fields);
  if (fields.has("code")) fields.refuse("code", "is not known here");
  CO_RETURN_IF_ERROR(fields.check());
  CO_ASSIGN_OR_RETURN(auto id, sandbox->create_context(wish));
  Meant meant{.sandbox = std::move(sandbox), .id = std::move(id)};
  co_return co_await reply_context(call, std::move(meant), 201);
}

io::Task<> list(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  json::array items;
  for (const auto& info : sandbox->contexts().list()) items.push_back(context_document(*sandbox, info));
  std::ranges::reverse(items);
  auto document = page_document(std::move(items), std::nullopt);
  co_return co_await call->reply(200, std::move(document));
}

io::Task<> get(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto meant, co_await context_of(call));
  co_return co_await reply_context(call, std::move(meant));
}

io::Task<> remove(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto meant, co_await context_of(call));
  CO_RETURN_IF_ERROR(meant.sandbox->contexts().remove(meant.id));
  co_return co_await call->reply_nothing();
}

io::Task<> restart(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto meant, co_await context_of(call));
  CO_RETURN_IF_ERROR(meant.sandbox->contexts().restart(meant.id));
  co_return co_await reply_context(call, std::move(meant));
}

io::Task<> interrupt(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto meant, co_await context_of(call));
  CO_RETURN_IF_ERROR(meant.sandbox->contexts().interrupt(meant.id));
  co_return co_await reply_context(call, std::move(meant));
}

}  // namespace

Routes context_routes() {
  return {
      {"POST", "/v1/sandboxes/{sandbox}/contexts", Access::kUse, Body::kOptionalJson, create},
      {"GET", "/v1/sandboxes/{sandbox}/contexts", Access::kRead, Body::kNone, list},
      {"GET", "/v1/sandboxes/{sandbox}/contexts/{context}", Access::kRead, Body::kNone, get},
      {"DELETE", "/v1/sandboxes/{sandbox}/contexts/{context}", Access::kUse, Body::kNone, remove},
      {"POST", "/v1/sandboxes/{sandbox}/contexts/{context}/restart", Access::kUse, Body::kNone, restart},
      {"POST", "/v1/sandboxes/{sandbox}/contexts/{context}/interrupt", Access::kUse, Body::kNone, interrupt},
  };
}

}  // namespace api
