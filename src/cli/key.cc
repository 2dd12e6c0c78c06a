#include "auth/key.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/units.h"
#include "cli/principals.h"

namespace cli {

namespace {

boost::json::object json_of_key(const store::Key& key) {
  return {{"id", key.id.text()},
          {"name", key.name},
          {"team", key.team.text()},
          {"user", key.user ? boost::json::value(key.user->text()) : boost::json::value(nullptr)},
          {"scope", store::name_of(key.scope)},
          {"prefix", auth::display_name(key.id)},
          {"created_at", store::rfc3339(key.created)},
          {"expires_at", json_of(key.expires)},
          {"revoked_at", json_of(key.revoked)},
          {"last_used_at", json_of(key.last_used)}};
}

// From now; a century is as good as never.
Result<std::optional<store::Time>> expiry_of(const std::string& text, store::Time now) {
  if (text.empty()) return std::optional<store::Time>();
  ASSIGN_OR_RETURN(const auto time, base::parse_duration(text));
  if (time < std::chrono::seconds(1) || time > std::chrono::days(36500)) {
    return base::fail(base::Code::kInvalid, "--expires takes 1s to 36500d; without it a key does not expire");
  }
  return std::optional(now + time);
}

Result<store::Scope> scope_of(std::string text) {
  std::replace(text.begin(), text.end(), '-', '_');
  return store::parse_scope(text);
}

// As it stands in a list, with what it begins with, or whole: however people have it at hand.
Result<store::KeyId> key_id_of(std::string_view text) {
  if (const auto whole = auth::parse_key(text)) return whole->id;
  if (text.starts_with("cove_")) text.remove_prefix(5);
  auto id = store::KeyId::parse(text);
  if (id) return id;
  return base::fail(base::Code::kInvalid, "that is not the id of a key; cove key list shows all");
}

Result<> create_key(store::Store& store, const PrincipalArguments& args) {
  const auto now = time_now();
  ASSIGN_OR_RETURN(const auto scope, scope_of(args.scope));
  ASSIGN_OR_RETURN(const auto expires, expiry_of(args.expires, now));
  ASSIGN_OR_RETURN(const auto team, team_of(store, args));
  std::optional<store::UserId> user;
  if (!args.user.empty()) {
    ASSIGN_OR_RETURN(const auto found, user_of(store, team, args.user));
    user = found.id;
  }
  const auto minted = auth::mint_key();
  const store::Key key{.id = minted.credential.id,
                       .team = team.id,
                       .user = user,
                       .name = args.name,
                       .scope = scope,
                       .hash = minted.hash,
                       .created = now,
                       .expires = expires};
  RETURN_IF_ERROR(store.keys().insert(key));
  if (args.json) {
    auto object = json_of_key(key);
    object["key"] = minted.text;
    print_json(object);
    return {};
  }
  fmt::print("{}\n", minted.text);
  fmt::print(stderr, "cove: key {} of the team '{}', scope {}, {}. Keep it: it is not shown again.\n",
             key.id.text(), team.name, store::name_of(scope),
             expires ? "expires " + shown_time(expires, "") + " UTC" : "does not expire");
  return {};
}

std::string state_of(const store::Key& key, store::Time now) {
  if (key.revoked) return "revoked " + shown_time(key.revoked, "");
  if (key.expires && *key.expires <= now) return "expired";
  return key.expires ? "until " + shown_time(key.expires, "") : "valid";
}

Result<> list_keys(store::Store& store, const PrincipalArguments& args) {
  std::optional<store::TeamId> only;
  if (args.team) {
    ASSIGN_OR_RETURN(const auto team, team_of(store, args));
    only = team.id;
  }
  ASSIGN_OR_RETURN(const auto keys,
                   all_pages([&](const auto& page) { return store.keys().list(only, page); }));
  if (args.json) {
    boost::json::array all;
    for (const auto& key : keys) all.push_back(json_of_key(key));
    print_json(all);
    return {};
  }
  if (keys.empty()) {
    fmt::print("no keys; make one with: cove key create\n");
    return {};
  }
  ASSIGN_OR_RETURN(const auto teams, all_pages([&](const auto& page) { return store.teams().list(page); }));
  std::map<store::TeamId, std::string> names;
  for (const auto& team : teams) names.emplace(team.id, team.name);
  std::vector<std::vector<std::string>> rows{
      {"ID", "TEAM", "SCOPE", "CREATED", "LAST USED", "STATE", "NAME"}};
  for (const auto& key : keys) {
    rows.push_back({key.id.text(), names[key.team], std::string(store::name_of(key.scope)),
                    shown_time(key.created, ""), shown_time(key.last_used, "never"),
                    state_of(key, time_now()), key.name});
  }
  print_table(rows);
  return {};
}

Result<> revoke_key(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto id, key_id_of(args.name));
  auto key = store.keys().revoke(std::nullopt, id, time_now());
  if (!key && key.error().code == base::Code::kNotFound) key.error().message += "; cove key list shows all";
  if (!key) return std::unexpected(std::move(key).error());
  if (args.json) {
    print_json(json_of_key(*key));
  } else {
    fmt::print("revoked key {}\n", key->id.text());
  }
  return {};
}

}  // namespace

void add_key(CLI::App& app, const Globals& globals, Chosen& chosen) {
  PrincipalCommands commands(app, globals, chosen);
  auto& args = commands.arguments();
  auto* group = commands.group("key", "Make, list and revoke API keys", "cove key create --name laptop");

  auto* create = commands.command(group, "create", "Make a key; it is shown once", create_key);
  create->add_option("--team", args.team, "Whose things it may use (default)");
  create->add_option("--user", args.user, "The user of that team whose key it is");
  create->add_option("--name", args.name, "What to call it");
  create
      ->add_option("--scope", args.scope,
                   "admin: everything in every team; team: everything in its team; read-only: look at things "
                   "of its team")
      ->capture_default_str();
  create->add_option("--expires", args.expires, "Ends after this time, for example 30d (never)");
  create->footer(
      "The key goes to stdout, everything else to stderr.\n"
      "Examples:\n  cove key create --scope admin --name operator\n"
      "  cove key create --team research --user ada --expires 30d --json");

  auto* list = commands.command(group, "list", "All keys, newest first", list_keys);
  list->add_option("--team", args.team, "Only this team's");
  list->footer("Example: cove key list --team research");

  auto* revoke = commands.command(group, "revoke", "End a key at once, and for good", revoke_key);
  commands.take_name(revoke, "ID", "Of the key, as in cove key list");
  revoke->footer("Example: cove key revoke k7d2m9x4w8q3r5t6");
}

}  // namespace cli
