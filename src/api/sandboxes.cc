#include <fmt/format.h>

#include "api/clock.h"
#include "api/making.h"
#include "api/routes.h"
#include "api/sandbox_of.h"

namespace api {

namespace {

using base::Code;
namespace json = boost::json;

// A project of the caller's team in which the caller may make things.
io::Task<> check_project(CallPtr call, store::ProjectId project) {
  Services& services = call->services();
  const auth::Principal principal = call->principal();
  auto work = [&services, principal, project]() -> Result<std::optional<store::Role>> {
    RETURN_IF_ERROR(services.store.projects().get(principal.team, project));
    if (!principal.user) return std::nullopt;
    return services.store.projects().role(project, *principal.user);
  };
  CO_ASSIGN_OR_RETURN(const auto role, co_await services.pool.run(std::move(work)));
  if (auth::may_in_project(principal, auth::Action::kUse, role)) co_return Result<>();
  co_return base::fail(Code::kDenied, "the key's user is no member of this project");
}

io::Task<> create(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto wish, read_sandbox_wish(*call));
  if (wish.project) CO_RETURN_IF_ERROR(co_await check_project(call, *wish.project));
  CO_ASSIGN_OR_RETURN(const auto id, co_await make_sandbox(call, std::move(wish)));
  const Live* live = call->services().roster.find(id);
  if (live == nullptr) co_return base::fail(Code::kUnavailable, "the sandbox ended right after it was made");
  auto document = sandbox_document(*live);
  std::vector<http::Header> headers{{"Location", "/v1/sandboxes/" + id}};
  co_return co_await call->reply(201, std::move(document), std::move(headers));
}

Result<store::SandboxFilter> read_filter(const Call& call) {
  store::SandboxFilter filter;
  if (call.principal().scope != store::Scope::kAdmin) filter.team = call.principal().team;
  if (const auto state = call.query("state")) {
    ASSIGN_OR_RETURN(filter.state, store::parse_sandbox_state(*state));
  }
  filter.tier = call.query("tier");
  if (filter.tier && *filter.tier != "jail") return base::fail(Code::kInvalid, "'tier' has to be jail");
  filter.template_name = call.query("template");
  filter.owner = call.query("owner");
  if (const auto label = call.query("label")) {
    const std::size_t colon = label->find(':');
    if (colon == 0 || colon == std::string::npos) {
      return base::fail(Code::kInvalid, "'label' has to be key:value");
    }
    filter.labels.push_back({label->substr(0, colon), label->substr(colon + 1)});
  }
  if (const auto after = call.query("created_after")) {
    ASSIGN_OR_RETURN(filter.created_after, parse_time(*after, "created_after"));
  }
  if (const auto before = call.query("created_before")) {
    ASSIGN_OR_RETURN(filter.created_before, parse_time(*before, "created_before"));
  }
  return filter;
}

io::Task<> list(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto filter, read_filter(*call));
  CO_ASSIGN_OR_RETURN(auto page, call->page());
  Services& services = call->services();
  CO_RETURN_IF_ERROR(co_await services.roster.flush());
  auto work = [&services, filter, page] { return services.store.sandboxes().list(filter, page); };
  CO_ASSIGN_OR_RETURN(auto found, co_await services.pool.run(std::move(work)));
  json::array items;
  for (store::SandboxRow& row : found.items) {
    const Live* live = services.roster.find(row.id.text());
    items.push_back(live != nullptr ? sandbox_document(*live)
                                    : sandbox_document(Known{.row = std::move(row)}));
  }
  auto document = page_document(std::move(items), found.next);
  co_return co_await call->reply(200, std::move(document));
}

io::Task<> get(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto known, co_await record_of(call));
  auto document = sandbox_document(known);
  co_return co_await call->reply(200, std::move(document));
}

void apply(Live& live, std::optional<std::chrono::milliseconds> ttl,
           std::optional<std::chrono::milliseconds> idle_timeout) {
  if (ttl) {
    live.sandbox->set_ttl(*ttl);
    live.row.expires = now() + *ttl;
  }
  if (idle_timeout) {
    live.sandbox->set_idle_timeout(*idle_timeout);
    live.row.idle_timeout = *idle_timeout;
  }
}

io::Task<> patch(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  Fields fields(call->body());
  const auto ttl = read_ttl(*call, fields);
  const auto idle_timeout = read_idle_timeout(*call, fields);
  auto labels = read_labels(fields);
  if (call->body().empty()) fields.refuse({Code::kInvalid, "the body says nothing that could be changed"});
  CO_RETURN_IF_ERROR(fields.check());
  Live* live = call->services().roster.find(sandbox->id());
  if (live == nullptr) co_return base::fail(Code::kConflict, "the sandbox has just ended");
  apply(*live, ttl, idle_timeout);
  if (labels) live->row.labels = *std::move(labels);
  call->services().roster.changed(*live);
  auto document = sandbox_document(*live);
  co_return co_await call->reply(200, std::move(document));
}

io::Task<> remove(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto known, co_await record_of(call));
  if (known.sandbox) {
    CO_RETURN_IF_ERROR(co_await call->services().fleet.end(known.sandbox, fleet::EndCause::kDeleted));
    known.row.state = store::SandboxState::kEnded;
    known.row.cause = fleet::name_of(known.sandbox->end_cause().value_or(fleet::EndCause::kDeleted));
    known.row.ended = now();
  }
  auto document = sandbox_document(known);
  co_return co_await call->reply(200, std::move(document));
}

io::Task<> touch(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  CO_ASSIGN_OR_RETURN(const auto known, co_await record_of(call));
  auto document = sandbox_document(known);
  co_return co_await call->reply(200, std::move(document));
}

}  // namespace

Routes sandbox_routes() {
  return {
      {"POST", "/v1/sandboxes", Access::kUse, Body::kOptionalJson, create},
      {"GET",
       "/v1/sandboxes",
       Access::kRead,
       Body::kNone,
       list,
       {"state", "tier", "template", "label", "owner", "created_after", "created_before", "limit", "cursor"}},
      {"GET", "/v1/sandboxes/{sandbox}", Access::kRead, Body::kNone, get},
      {"PATCH", "/v1/sandboxes/{sandbox}", Access::kUse, Body::kJson, patch},
      {"DELETE", "/v1/sandboxes/{sandbox}", Access::kUse, Body::kNone, remove},
      {"POST", "/v1/sandboxes/{sandbox}/touch", Access::kUse, Body::kNone, touch},
  };
}

}  // namespace api
