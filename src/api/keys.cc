#include <fmt/format.h>

#include "api/clock.h"
#include "api/of_team.h"
#include "api/routes.h"
#include "auth/key.h"

namespace api {

namespace {

namespace json = boost::json;
using store::Key;
using store::KeyId;
using store::Scope;
using store::TeamId;

constexpr double kHundredYears = 3153600000;

json::value time_or_null(const std::optional<store::Time>& time) {
  return time ? json::value(text_of(*time)) : json::value(nullptr);
}

json::object document_of(const Key& key) {
  json::object document{{"id", key.id.text()},
                        {"name", key.name},
                        {"team", key.team.text()},
                        {"scope", store::name_of(key.scope)},
                        {"prefix", auth::display_name(key.id)},
                        {"created_at", text_of(key.created)},
                        {"expires_at", time_or_null(key.expires)},
                        {"revoked_at", time_or_null(key.revoked)},
                        {"last_used_at", time_or_null(key.last_used)}};
  document["user"] = key.user ? json::value(key.user->text()) : json::value(nullptr);
  return document;
}

// None: those of all teams.
std::optional<TeamId> visible_team(const auth::Principal& caller) {
  return caller.scope == Scope::kAdmin ? std::nullopt : std::optional(caller.team);
}

// Whose the new key is. A user of a team has what the projects give him: with a key of somebody else, or of
// nobody, he would have more.
Result<std::optional<store::UserId>> read_user(const auth::Principal& caller, Fields& fields) {
  const auto text = fields.text("user");
  const bool is_bound = caller.user && caller.scope != Scope::kAdmin;
  if (!text) return is_bound ? caller.user : std::nullopt;
  ASSIGN_OR_RETURN(auto user, store::UserId::parse(*text));
  if (!is_bound || user == *caller.user) return user;
  return base::fail(base::Code::kDenied, "the key of a user makes keys of that user only");
}

Result<Key> read_wish(const Call& call, const auth::Minted& minted) {
  Fields fields(call.body());
  const auto& caller = call.principal();
  const auto name = fields.text("name").value_or("");
  const auto team = named_team(call, fields.text("team"));
  const auto user = read_user(caller, fields);
  const auto scope = fields.choice("scope", {"admin", "team", "read_only"}).value_or("team");
  const auto expires = fields.seconds("expires", {1, kHundredYears});
  if (fields.has("name") && name.empty()) fields.refuse("name", "is empty; leave it out instead");
  RETURN_IF_ERROR(fields.check());
  RETURN_IF_ERROR(team);
  RETURN_IF_ERROR(user);
  ASSIGN_OR_RETURN(const auto granted, store::parse_scope(scope));
  if (!auth::may_grant(caller, granted)) {
    return base::fail(base::Code::kDenied, "a key makes none that may do more than itself");
  }
  const store::Time time = now();
  Key key{.id = minted.credential.id,
          .team = *team,
          .user = *user,
          .name = name,
          .scope = granted,
          .hash = minted.hash,
          .created = time,
          .expires = std::nullopt,
          .revoked = std::nullopt,
          .last_used = std::nullopt};
  if (expires) key.expires = time + *expires;
  return key;
}

io::Task<> create(CallPtr call) {
  const auto minted = auth::mint_key();
  CO_ASSIGN_OR_RETURN(const auto key, read_wish(*call, minted));
  Services& services = call->services();
  auto work = [&services, key] { return services.store.keys().insert(key); };
  CO_RETURN_IF_ERROR(co_await services.pool.run(std::move(work)));
  const json::object known = document_of(key);
  json::object shown = known;
  shown["key"] = minted.text;
  std::vector<http::Header> headers{{"Location", "/v1/keys/" + key.id.text()}};
  const auto replied = co_await call->reply(201, std::move(shown), std::move(headers));
  // Answers are kept for whoever repeats the request; the key is kept nowhere.
  call->remember(201, known);
  co_return replied;
}

io::Task<> list(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto request, call->page());
  CO_ASSIGN_OR_RETURN(const auto team, named_team(*call, call->query("team")));
  Services& services = call->services();
  auto work = [&services, request, team] { return services.store.keys().list(team, request); };
  CO_ASSIGN_OR_RETURN(const auto page, co_await services.pool.run(std::move(work)));
  json::array items;
  for (const Key& key : page.items) items.push_back(document_of(key));
  co_return co_await call->reply(200, page_document(std::move(items), page.next));
}

io::Task<> get(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto id, KeyId::parse((*call)["key"]));
  Services& services = call->services();
  auto work = [&services, id, team = visible_team(call->principal())] {
    return services.store.keys().get(team, id);
  };
  CO_ASSIGN_OR_RETURN(const auto key, co_await services.pool.run(std::move(work)));
  co_return co_await call->reply(200, document_of(key));
}

io::Task<> revoke(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto id, KeyId::parse((*call)["key"]));
  Services& services = call->services();
  auto work = [&services, id, team = visible_team(call->principal())] {
    return services.store.keys().revoke(team, id, now());
  };
  CO_RETURN_IF_ERROR(co_await services.pool.run(std::move(work)));
  co_return co_await call->reply_nothing();
}

}  // namespace

Routes key_routes() {
  return {
      {"POST", "/v1/keys", Access::kManage, Body::kOptionalJson, create},
      {"GET", "/v1/keys", Access::kRead, Body::kNone, list, {"team", "limit", "cursor"}},
      {"GET", "/v1/keys/{key}", Access::kRead, Body::kNone, get},
      {"DELETE", "/v1/keys/{key}", Access::kManage, Body::kNone, revoke},
  };
}

}  // namespace api
