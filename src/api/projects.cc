#include <fmt/format.h>

#include "api/clock.h"
#include "api/of_team.h"
#include "api/routes.h"

namespace api {

namespace {

namespace json = boost::json;
using store::Project;
using store::ProjectId;
using store::Role;
using store::TeamId;
using store::UserId;

json::object document_of(const Project& project) {
  return {{"id", project.id.text()},
          {"name", project.name},
          {"team", project.team.text()},
          {"created_at", text_of(project.created)}};
}

// Whoever makes a project may edit it.
Result<Project> make_project(Services& services, const auth::Principal& caller, const TeamId& team,
                             const std::string& name) {
  std::optional<Project> made;
  RETURN_IF_ERROR(services.store.atomically([&]() -> Result<> {
    ASSIGN_OR_RETURN(made, services.store.projects().create(team, name, now()));
    if (!caller.user || caller.team != team) return {};
    return services.store.projects().put_member(*made, *caller.user, Role::kEdit, now());
  }));
  return *made;
}

io::Task<> create(CallPtr call) {
  Fields fields(call->body());
  const auto name = fields.required("name", fields.text("name"));
  const auto team = named_team(*call, fields.text("team"));
  CO_RETURN_IF_ERROR(fields.check());
  CO_RETURN_IF_ERROR(team);
  Services& services = call->services();
  auto work = [&services, caller = call->principal(), team = *team, name] {
    return make_project(services, caller, team, name);
  };
  CO_ASSIGN_OR_RETURN(const auto project, co_await services.pool.run(std::move(work)));
  std::vector<http::Header> headers{{"Location", "/v1/projects/" + project.id.text()}};
  co_return co_await call->reply(201, document_of(project), std::move(headers));
}

io::Task<> list(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto request, call->page());
  CO_ASSIGN_OR_RETURN(const auto team, named_team(*call, call->query("team")));
  Services& services = call->services();
  auto work = [&services, request, team] { return services.store.projects().list(team, request); };
  CO_ASSIGN_OR_RETURN(const auto page, co_await services.pool.run(std::move(work)));
  json::array items;
  for (const Project& project : page.items) items.push_back(document_of(project));
  co_return co_await call->reply(200, page_document(std::move(items), page.next));
}

// The project of the path, for whoever may do this with it. Everybody in its team may look at it.
io::Task<Project> project_of(CallPtr call, auth::Action action) {
  CO_ASSIGN_OR_RETURN(const auto id, ProjectId::parse((*call)["project"]));
  Services& services = call->services();
  auto work = [&services, id, caller = call->principal(), action]() -> Result<Project> {
    const auto look = [&](const TeamId& team) { return services.store.projects().get(team, id); };
    ASSIGN_OR_RETURN(auto project, in_any_team<Project>(services, caller, look));
    if (action == auth::Action::kRead || !caller.user) return project;
    ASSIGN_OR_RETURN(const auto role, services.store.projects().role(id, *caller.user));
    if (auth::may_in_project(caller, action, role)) return project;
    return base::fail(base::Code::kDenied,
                      "only members with the role edit may change the project; one of them, or a "
                      "key without a user, can give it to you");
  };
  co_return co_await services.pool.run(std::move(work));
}

io::Task<> get(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto project, co_await project_of(call, auth::Action::kRead));
  co_return co_await call->reply(200, document_of(project));
}

io::Task<> remove(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto project, co_await project_of(call, auth::Action::kManage));
  Services& services = call->services();
  CO_RETURN_IF_ERROR(co_await services.roster.flush());
  auto work = [&services, project] { return services.store.projects().remove(project.team, project.id); };
  CO_RETURN_IF_ERROR(co_await services.pool.run(std::move(work)));
  co_return co_await call->reply_nothing();
}

json::object member_document(const UserId& user, Role role) {
  return {{"user", user.text()}, {"role", store::name_of(role)}};
}

io::Task<> add_member(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto project, co_await project_of(call, auth::Action::kManage));
  Fields fields(call->body());
  const auto user = fields.required("user", fields.text("user"));
  const auto role = fields.required("role", fields.choice("role", {"run", "edit"}));
  CO_RETURN_IF_ERROR(fields.check());
  CO_ASSIGN_OR_RETURN(const auto id, UserId::parse(user));
  CO_ASSIGN_OR_RETURN(const auto as, store::parse_role(role));
  Services& services = call->services();
  auto work = [&services, project, id, as] {
    return services.store.projects().put_member(project, id, as, now());
  };
  CO_RETURN_IF_ERROR(co_await services.pool.run(std::move(work)));
  co_return co_await call->reply(201, member_document(id, as));
}

io::Task<> list_members(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto project, co_await project_of(call, auth::Action::kRead));
  Services& services = call->services();
  auto work = [&services, project] { return services.store.projects().members(project); };
  CO_ASSIGN_OR_RETURN(const auto members, co_await services.pool.run(std::move(work)));
  json::array items;
  for (const auto& member : members) items.push_back(member_document(member.user, member.role));
  co_return co_await call->reply(200, page_document(std::move(items), std::nullopt));
}

io::Task<> remove_member(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto project, co_await project_of(call, auth::Action::kManage));
  CO_ASSIGN_OR_RETURN(const auto user, UserId::parse((*call)["user"]));
  Services& services = call->services();
  auto work = [&services, project, user] { return services.store.projects().remove_member(project, user); };
  CO_RETURN_IF_ERROR(co_await services.pool.run(std::move(work)));
  co_return co_await call->reply_nothing();
}

}  // namespace

Routes project_routes() {
  return {
      {"POST", "/v1/projects", Access::kManage, Body::kJson, create},
      {"GET", "/v1/projects", Access::kRead, Body::kNone, list, {"team", "limit", "cursor"}},
      {"GET", "/v1/projects/{project}", Access::kRead, Body::kNone, get},
      {"DELETE", "/v1/projects/{project}", Access::kManage, Body::kNone, remove},
      {"POST", "/v1/projects/{project}/members", Access::kManage, Body::kJson, add_member},
      {"GET", "/v1/projects/{project}/members", Access::kRead, Body::kNone, list_members},
      {"DELETE", "/v1/projects/{project}/members/{user}", Access::kManage, Body::kNone, remove_member},
  };
}

}  // namespace api
