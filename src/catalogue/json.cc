#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <limits>

#include "catalogue/catalogue.h"
#include "template/recipe_values.h"
#include "template/rules.h"

namespace catalogue {

namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 8;
constexpr std::size_t kMaxParts = 1024;  // names, variables or runtimes of one template
constexpr int kVersion = 1;

std::unexpected<base::Error> bad(std::string_view what) {
  return base::fail(base::Code::kInvalid,
                    "the catalogue of templates is damaged: " + templates::printable(what));
}

json::object json_of(const Template& each) {
  json::array runtimes;
  for (const Runtime& runtime : each.runtimes)
    runtimes.push_back(json::object{{"language", runtime.language}, {"version", runtime.version}});
  json::object environment;
  for (const auto& [name, value] : each.environment) environment[name] = value;
  return {{"names", json::array(each.names.begin(), each.names.end())},
          {"digest", each.digest},
          {"suite", each.suite},
          {"created", each.created},
          {"bytes", each.bytes},
          {"runtimes", std::move(runtimes)},
          {"environment", std::move(environment)},
          {"user", each.user},
          {"home", each.home}};
}

// A member of exactly this name, or null.
const json::value* member(const json::object& object, std::string_view name) {
  return object.if_contains(name);
}

// Plain text of one line, so that it may be shown.
Result<std::string> text_of(const json::value* value, std::string_view what) {
  const auto* text = value != nullptr ? value->if_string() : nullptr;
  if (text == nullptr) return bad(what);
  if (text->size() > templates::kMaxPathBytes || !templates::is_plain_text({text->data(), text->size()}))
    return bad(what);
  return std::string(text->data(), text->size());
}

Result<const json::array*> array_of(const json::object& object, std::string_view name) {
  const auto* value = member(object, name);
  const auto* array = value != nullptr ? value->if_array() : nullptr;
  if (array == nullptr || array->size() > kMaxParts) return bad(name);
  return array;
}

Result<std::vector<std::string>> names_of(const json::object& object) {
  ASSIGN_OR_RETURN(const auto* array, array_of(object, "names"));
  std::vector<std::string> names;
  for (const json::value& value : *array) {
    ASSIGN_OR_RETURN(auto name, text_of(&value, "names"));
    if (!templates::check_template_name(name)) return bad("names");
    names.push_back(std::move(name));
  }
  if (!std::ranges::is_sorted(names)) return bad("names");
  return names;
}

bool is_language(std::string_view name) {
  constexpr std::array<std::string_view, 4> kLanguages = {"python", "javascript", "typescript", "bash"};
  return std::ranges::find(kLanguages, name) != kLanguages.end();
}

Result<std::vector<Runtime>> runtimes_of(const json::object& object) {
  ASSIGN_OR_RETURN(const auto* array, array_of(object, "runtimes"));
  std::vector<Runtime> runtimes;
  for (const json::value& value : *array) {
    const auto* each = value.if_object();
    if (each == nullptr || each->size() != 2) return bad("runtimes");
    Runtime runtime;
    ASSIGN_OR_RETURN(runtime.language, text_of(member(*each, "language"), "language"));
    ASSIGN_OR_RETURN(runtime.version, text_of(member(*each, "version"), "version"));
    if (!is_language(runtime.language)) return bad("language");
    runtimes.push_back(std::move(runtime));
  }
  return runtimes;
}

Result<std::vector<std::pair<std::string, std::string>>> environment_of(const json::object& object) {
  const auto* value = member(object, "environment");
  const auto* all = value != nullptr ? value->if_object() : nullptr;
  if (all == nullptr || all->size() > kMaxParts) return bad("environment");
  std::vector<std::pair<std::string, std::string>> environment;
  for (const auto& [name, content] : *all) {
    if (!templates::is_environment_name({name.data(), name.size()})) return bad("environment");
    ASSIGN_OR_RETURN(auto text, text_of(&content, "environment"));
    environment.emplace_back(std::string(name), std::move(text));
  }
  return environment;
}

Result<std::uint64_t> bytes_of(const json::object& object) {
  const auto* value = member(object, "bytes");
  if (value == nullptr) return bad("bytes");
  if (const auto* number = value->if_uint64()) return *number;
  const auto* number = value->if_int64();
  if (number == nullptr || *number < 0) return bad("bytes");
  return static_cast<std::uint64_t>(*number);
}

Result<Template> template_of(const json::value& value) {
  constexpr std::size_t kMembers = 9;
  const auto* object = value.if_object();
  if (object == nullptr || object->size() != kMembers) return bad("a template's members");
  Template each;
  ASSIGN_OR_RETURN(each.names, names_of(*object));
  ASSIGN_OR_RETURN(each.digest, text_of(member(*object, "digest"), "digest"));
  ASSIGN_OR_RETURN(each.suite, text_of(member(*object, "suite"), "suite"));
  ASSIGN_OR_RETURN(each.created, text_of(member(*object, "created"), "created"));
  ASSIGN_OR_RETURN(each.bytes, bytes_of(*object));
  ASSIGN_OR_RETURN(each.runtimes, runtimes_of(*object));
  ASSIGN_OR_RETURN(each.environment, environment_of(*object));
  ASSIGN_OR_RETURN(each.user, text_of(member(*object, "user"), "user"));
  ASSIGN_OR_RETURN(each.home, text_of(member(*object, "home"), "home"));
  if (!templates::is_digest(each.digest)) return bad("digest");
  if (!templates::is_user_name(each.user)) return bad("user");
  RETURN_IF_ERROR(templates::check_home(each.home));
  return each;
}

}  // namespace

std::string to_json(const Catalogue& catalogue) {
  json::array all;
  for (const Template& each : catalogue.templates) all.push_back(json_of(each));
  return json::serialize(json::object{{"version", kVersion}, {"templates", std::move(all)}}) + "\n";
}

Result<Catalogue> parse(std::string_view text) {
  if (text.size() > kMaxBytes) return bad("it is too long");
  json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code error;
  const auto value = json::parse(text, error, {}, options);
  const auto* object = !error ? value.if_object() : nullptr;
  if (object == nullptr || object->size() != 2) return bad("no object");
  const auto* version = member(*object, "version");
  if (version == nullptr || *version != json::value(kVersion)) return bad("another version wrote it");
  ASSIGN_OR_RETURN(const auto* all, array_of(*object, "templates"));
  static_assert(kMaxParts == kMaxTemplates);
  Catalogue catalogue;
  for (const json::value& each : *all) {
    ASSIGN_OR_RETURN(auto read, template_of(each));
    catalogue.templates.push_back(std::move(read));
  }
  return catalogue;
}

}  // namespace catalogue
