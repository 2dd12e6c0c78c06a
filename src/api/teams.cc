#include <fmt/format.h>

#include "api/clock.h"
#include "api/of_team.h"
#include "api/routes.h"

namespace api {

namespace {

namespace json = boost::json;
using store::Team;
using store::TeamId;
using store::User;
using store::UserId;

json::object document_of(const Team& team) {
  return {{"id", team.id.text()}, {"name", team.name}, {"created_at", text_of(team.created)}};
}

json::object document_of(const User& user) {
  return {{"id", user.id.text()},
          {"name", user.name},
          {"team", user.team.text()},
          {"created_at", text_of(user.created)}};
}

template <class T>
json::object document_of(const store::Page<T>& page) {
  json::array items;
  for (const T& item : page.items) items.push_back(document_of(item));
  return page_document(std::move(items), page.next);
}

io::Task<> create_team(CallPtr call) {
  Fields fields(call->body());
  const auto name = fields.required("name", fields.text("name"));
  CO_RETURN_IF_ERROR(fields.check());
  Services& services = call->services();
  auto work = [&services, name] { return services.store.teams().create(name, now()); };
  CO_ASSIGN_OR_RETURN(const auto team, co_await services.pool.run(std::move(work)));
  std::vector<http::Header> headers{{"Location", "/v1/teams/" + team.id.text()}};
  co_return co_await call->reply(201, document_of(team), std::move(headers));
}

io::Task<> list_teams(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto request, call->page());
  Services& services = call->services();
  const bool sees_all = call->principal().scope == store::Scope::kAdmin;
  auto work = [&services, request, sees_all, own = call->principal().team]() -> Result<store::Page<Team>> {
    if (sees_all) return services.store.teams().list(request);
    ASSIGN_OR_RETURN(auto team, services.store.teams().get(own));
    store::Page<Team> page;
    page.items.push_back(std::move(team));
    return page;
  };
  CO_ASSIGN_OR_RETURN(const auto page, co_await services.pool.run(std::move(work)));
  co_return co_await call->reply(200, document_of(page));
}

io::Task<> get_team(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto id, named_team(*call, (*call)["team"]));
  Services& services = call->services();
  auto work = [&services, id] { return services.store.teams().get(id); };
  CO_ASSIGN_OR_RETURN(const auto team, co_await services.pool.run(std::move(work)));
  co_return co_await call->reply(200, document_of(team));
}

io::Task<> delete_team(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto id, named_team(*call, (*call)["team"]));
  Services& services = call->services();
  CO_RETURN_IF_ERROR(co_await services.roster.flush());
  auto work = [&services, id] { return services.store.teams().remove(id); };
  CO_RETURN_IF_ERROR(co_await services.pool.run(std::move(work)));
  co_return co_await call->reply_nothing();
}

io::Task<> create_user(CallPtr call) {
  Fields fields(call->body());
  const auto name = fields.required("name", fields.text("name"));
  const auto team = named_team(*call, fields.text("team"));
  CO_RETURN_IF_ERROR(fields.check());
  CO_RETURN_IF_ERROR(team);
  Services& services = call->services();
  auto work = [&services, name, team = *team] { return services.store.users().create(team, name, now()); };
  CO_ASSIGN_OR_RETURN(const auto user, co_await services.pool.run(std::move(work)));
  std::vector<http::Header> headers{{"Location", "/v1/users/" + user.id.text()}};
  co_return co_await call->reply(201, document_of(user), std::move(headers));
}

io::Task<> list_users(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto request, call->page());
  CO_ASSIGN_OR_RETURN(const auto team, named_team(*call, call->query("team")));
  Services& services = call->services();
  auto work = [&services, request, team] { return services.store.users().list(team, request); };
  CO_ASSIGN_OR_RETURN(const auto page, co_await services.pool.run(std::move(work)));
  co_return co_await call->reply(200, document_of(page));
}

io::Task<User> user_of(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto id, UserId::parse((*call)["user"]));
  Services& services = call->services();
  auto work = [&services, id, caller = call->principal()] {
    return in_any_team<User>(services, caller,
                             [&](const TeamId& team) { return services.store.users().get(team, id); });
  };
  co_return co_await services.pool.run(std::move(work));
}

io::Task<> get_user(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto user, co_await user_of(call));
  co_return co_await call->reply(200, document_of(user));
}

io::Task<> delete_user(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto user, co_await user_of(call));
  Services& services = call->services();
  auto work = [&services, user] { return services.store.users().remove(user.team, user.id); };
  CO_RETURN_IF_ERROR(co_await services.pool.run(std::move(work)));
  co_return co_await call->reply_nothing();
}

}  // namespace

Routes team_routes() {
  return {
      {"POST", "/v1/teams", Access::kAdminister, Body::kJson, create_team},
      {"GET", "/v1/teams", Access::kRead, Body::kNone, list_teams, {"limit", "cursor"}},
      {"GET", "/v1/teams/{team}", Access::kRead, Body::kNone, get_team},
      {"DELETE", "/v1/teams/{team}", Access::kAdminister, Body::kNone, delete_team},
      {"POST", "/v1/users", Access::kManage, Body::kJson, create_user},
      {"GET", "/v1/users", Access::kRead, Body::kNone, list_users, {"team", "limit", "cursor"}},
      {"GET", "/v1/users/{user}", Access::kRead, Body::kNone, get_user},
      {"DELETE", "/v1/users/{user}", Access::kManage, Body::kNone, delete_user},
  };
}

}  // namespace api
