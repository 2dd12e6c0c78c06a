#include "template/meta.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <set>

#include "template/recipe_values.h"
#include "template/sha256.h"

namespace templates {

namespace {

std::unexpected<base::Error> bad(std::string_view key, std::string_view value) {
  return base::fail(base::Code::kInvalid, "meta: bad " + printable(key) + " " + printable(value));
}

// Dates and versions.
bool is_short_word(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view(".:+~-").contains(c);
  };
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, allowed);
}

bool set_number(std::uint64_t& out, std::string_view text) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// A key, and whether its value is good and stored.
struct Field {
  std::string_view key;
  bool (*set)(Meta&, std::string_view);
};

bool set_uid(Meta& meta, std::string_view value) {
  auto uid = parse_uid(value);
  if (uid) meta.user.uid = *uid;
  return uid.has_value();
}

bool set_home(Meta& meta, std::string_view value) {
  meta.user.home = value;
  return check_home(value).has_value();
}

constexpr std::array kFields = {
    Field{"name", [](Meta& m, std::string_view v) { return m.name = v, check_template_name(v).has_value(); }},
    Field{"digest", [](Meta& m, std::string_view v) { return m.digest = v, is_digest(v); }},
    Field{"recipe", [](Meta& m, std::string_view v) { return m.recipe = v, v.empty() || is_digest(v); }},
    Field{"suite", [](Meta& m, std::string_view v) { return m.suite = v, is_suite(v); }},
    Field{"created", [](Meta& m, std::string_view v) { return m.created = v, is_short_word(v); }},
    Field{"version", [](Meta& m, std::string_view v) { return m.version = v, is_short_word(v); }},
    Field{"bytes", [](Meta& m, std::string_view v) { return set_number(m.bytes, v); }},
    Field{"entries", [](Meta& m, std::string_view v) { return set_number(m.entries, v); }},
    Field{"user",
          [](Meta& m, std::string_view v) { return m.user.name = v, is_user_name(v) && v != "root"; }},
    Field{"uid", set_uid},
    Field{"home", set_home},
};

Result<> set_environment(Meta& meta, std::string_view value) {
  const auto equals = value.find('=');
  if (equals == std::string_view::npos) return bad("environment", value);
  const auto key = value.substr(0, equals);
  if (!is_environment_name(key)) return bad("environment", value);
  const auto same = [&](const auto& pair) { return pair.first == key; };
  if (std::ranges::any_of(meta.environment, same)) return bad("environment", value);
  meta.environment.emplace_back(key, value.substr(equals + 1));
  return {};
}

Result<> set_field(Meta& meta, std::set<std::string_view>& seen, std::string_view line) {
  const auto split = line.find(" = ");
  if (!is_plain_text(line) || split == std::string_view::npos) return bad("line", line);
  const auto key = line.substr(0, split);
  const auto value = line.substr(split + 3);
  if (key == "environment") return set_environment(meta, value);
  const auto field = std::ranges::find(kFields, key, &Field::key);
  if (field == kFields.end() || !seen.insert(key).second) return bad("key", key);
  if (!field->set(meta, value)) return bad(key, value);
  return {};
}

}  // namespace

std::string template_digest(std::string_view tree_digest, const RecipeUser& user,
                            const Environment& environment) {
  // No value holds a newline, so the lines are unambiguous.
  std::string text = "cove-template 1\n" + std::string(tree_digest) + "\n" + user.name + "\n" +
                     std::to_string(user.uid) + "\n" + user.home + "\n";
  for (const auto& [key, value] : environment) text += key + "=" + value + "\n";
  return sha256_hex(text);
}

std::string format_meta(const Meta& meta) {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value) {
    text.append(key).append(" = ").append(value).append("\n");
  };
  add("name", meta.name);
  add("digest", meta.digest);
  add("recipe", meta.recipe);
  add("suite", meta.suite);
  add("created", meta.created);
  add("version", meta.version);
  add("bytes", std::to_string(meta.bytes));
  add("entries", std::to_string(meta.entries));
  add("user", meta.user.name);
  add("uid", std::to_string(meta.user.uid));
  add("home", meta.user.home);
  for (const auto& [key, value] : meta.environment) add("environment", key + "=" + value);
  return text;
}

Result<Meta> parse_meta(std::string_view text) {
  if (text.size() > kMaxMetaBytes || !text.ends_with('\n')) return bad("text", "");
  Meta meta;
  std::set<std::string_view> seen;
  while (!text.empty()) {
    const auto end = text.find('\n');
    RETURN_IF_ERROR(set_field(meta, seen, text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  for (const auto& field : kFields) {
    if (!seen.contains(field.key)) return bad(field.key, "(missing)");
  }
  return meta;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace templates
