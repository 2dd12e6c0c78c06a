#include <algorithm>
#include <array>
#include <set>

#include "template/recipe.h"
#include "template/recipe_values.h"

namespace templates {

namespace {

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::unexpected<base::Error> invalid(std::string message) {
  return base::fail(base::Code::kInvalid, std::move(message));
}

struct KeyValue {
  std::string_view key;
  std::string_view value;
};

Result<KeyValue> split_key_value(std::string_view line) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) return invalid("expected 'key = value'");
  return KeyValue{trim(line.substr(0, equals)), trim(line.substr(equals + 1))};
}

// One recipe while its lines come in. Each section has a function that takes the section's lines.
class Parser {
 public:
  Result<> line(std::string_view text, std::size_t number);
  Result<Recipe> finish() &&;

 private:
  using Handler = Result<> (Parser::*)(std::string_view);
  struct Section {
    std::string_view name;
    Handler handler;
  };
  static const std::array<Section, 5> kSections;

  Result<> section(std::string_view header);
  Result<> placed_section(std::string_view header);
  Result<> tree_section(std::string_view header);
  Result<> lock_section(std::string_view header);
  Result<> claim(const std::string& key);

  Result<> top(std::string_view line);
  Result<> check_beginning() const;
  Result<> package(std::string_view line);
  Result<> exclude(std::string_view line);
  Result<> user(std::string_view line);
  Result<> environment(std::string_view line);
  Result<> run(std::string_view line);
  Result<> content(std::string_view line);
  Result<> nothing(std::string_view) { return invalid("this section has no lines"); }

  Recipe recipe_;
  Handler handler_ = &Parser::top;
  std::size_t number_ = 0;
  std::set<std::string, std::less<>> seen_;  // whatever may be said only once
};

const std::array<Parser::Section, 5> Parser::kSections = {{
    {"packages", &Parser::package},
    {"exclude", &Parser::exclude},
    {"user", &Parser::user},
    {"environment", &Parser::environment},
    {"run", &Parser::run},
}};

Result<> Parser::claim(const std::string& key) {
  if (seen_.insert(key).second) return {};
  return invalid(printable(key) + " appears twice");
}

Result<> Parser::line(std::string_view text, std::size_t number) {
  number_ = number;
  const bool is_content = handler_ == &Parser::content && text.starts_with('|');
  std::string without_tabs(text);
  if (is_content) std::erase(without_tabs, '\t');
  if (has_control_character(without_tabs)) return invalid("control character");
  if (is_content) return content(text);
  const auto trimmed = trim(text);
  if (trimmed.empty() || trimmed.starts_with('#')) return {};
  if (trimmed.starts_with('[')) return section(trimmed);
  return (this->*handler_)(trimmed);
}

Result<> Parser::section(std::string_view header) {
  if (!header.ends_with(']')) return invalid("a section header ends with ']'");
  const auto inner = trim(header.substr(1, header.size() - 2));
  if (inner.starts_with("file ") || inner.starts_with("directory ")) return placed_section(inner);
  if (inner.starts_with("tree ")) return tree_section(inner);
  if (inner.starts_with("pip ") || inner.starts_with("npm ")) return lock_section(inner);
  for (const auto& known : kSections) {
    if (known.name != inner) continue;
    handler_ = known.handler;
    return claim("[" + std::string(inner) + "]");
  }
  return invalid("unknown section [" + printable(inner) + "]");
}

// "file PATH MODE" or "directory PATH MODE".
Result<> Parser::placed_section(std::string_view inner) {
  const auto first = inner.find(' ');
  const auto last = inner.rfind(' ');
  const auto path = trim(inner.substr(first, last - first));
  if (path.empty() || path.contains(' ')) return invalid("expected '[file PATH MODE]', PATH without spaces");
  RETURN_IF_ERROR(check_recipe_path(path));
  ASSIGN_OR_RETURN(const mode_t mode, parse_mode(inner.substr(last + 1)));
  RETURN_IF_ERROR(claim(std::string(path)));
  if (inner.starts_with("file ")) {
    recipe_.files.push_back({.path = std::string(path), .mode = mode, .content = {}});
    handler_ = &Parser::content;
  } else {
    recipe_.directories.push_back({.path = std::string(path), .mode = mode});
    handler_ = &Parser::nothing;
  }
  return {};
}

// "tree PATH SOURCE".
Result<> Parser::tree_section(std::string_view inner) {
  const auto last = inner.rfind(' ');
  const auto path = trim(inner.substr(4, last - 4));
  const auto source = inner.substr(last + 1);
  if (path.empty() || path.contains(' '))
    return invalid("expected '[tree PATH FOLDER]', PATH without spaces");
  if (!is_neighbour(source))
    return invalid("folder " + printable(source) + ": the name of one beside the recipe");
  RETURN_IF_ERROR(check_recipe_path(path));
  recipe_.trees.push_back({.path = std::string(path), .source = std::string(source), .line = number_});
  handler_ = &Parser::nothing;
  return claim(std::string(path));
}

// "pip FILE", "npm FILE" or "npm FILE PATH".
Result<> Parser::lock_section(std::string_view inner) {
  const auto space = inner.find(' ');
  const auto words = trim(inner.substr(space));
  const bool is_npm = inner.starts_with("npm");
  const auto end = is_npm ? std::min(words.find(' '), words.size()) : words.size();
  const auto file = words.substr(0, end);
  const auto path = trim(words.substr(end));
  if (!is_neighbour(file))
    return invalid("lock " + printable(file) + ": the name of a file beside the recipe");
  if (!path.empty()) {
    RETURN_IF_ERROR(check_recipe_path(path));
    if (!is_shell_word(path)) return invalid("path " + printable(path) + ": only a-z A-Z 0-9 / . _ + -");
  }
  auto& lock = is_npm ? recipe_.npm : recipe_.pip;
  lock = {.file = std::string(file), .line = number_, .path = std::string(path)};
  handler_ = &Parser::nothing;
  return claim("[" + std::string(inner.substr(0, space)) + "]");
}

Result<> Parser::top(std::string_view line) {
  ASSIGN_OR_RETURN(const auto pair, split_key_value(line));
  if (pair.key == "from") {
    if (!is_digest(pair.value)) RETURN_IF_ERROR(check_template_name(pair.value));
    recipe_.from = pair.value;
    return claim("from");
  }
  if (pair.key != "suite") return invalid("unknown key " + printable(pair.key));
  if (!is_suite(pair.value)) return invalid("suite " + printable(pair.value) + ": a release such as trixie");
  recipe_.suite = pair.value;
  return claim("suite");
}

// A recipe begins with a suite's packages or with another template, which has its packages and its user.
Result<> Parser::check_beginning() const {
  if (recipe_.from.empty()) {
    return recipe_.suite.empty() ? Result<>(invalid("no 'suite = …' and no 'from = …'")) : Result<>();
  }
  if (!recipe_.suite.empty()) return invalid("both 'suite' and 'from': one of them is what to begin with");
  for (const auto* section : {"[packages]", "[exclude]", "[user]"}) {
    if (seen_.contains(section)) {
      return invalid(std::string(section) + " is decided by " + recipe_.from +
                     ": it goes with 'suite', not with 'from'");
    }
  }
  return {};
}

Result<> Parser::package(std::string_view line) {
  if (!is_package(line)) return invalid("package " + printable(line) + ": a Debian name, or name=version");
  recipe_.packages.emplace_back(line);
  return claim("package " + std::string(line));
}

Result<> Parser::exclude(std::string_view line) {
  if (!is_path_glob(line)) return invalid("exclude " + printable(line) + ": an absolute path with * and ?");
  recipe_.exclude.emplace_back(line);
  return claim("exclude " + std::string(line));
}

Result<> Parser::user(std::string_view line) {
  ASSIGN_OR_RETURN(const auto pair, split_key_value(line));
  RETURN_IF_ERROR(claim("user " + std::string(pair.key)));
  if (pair.key == "name") {
    if (!is_user_name(pair.value) || pair.value == "root") {
      return invalid("user name " + printable(pair.value) + ": a-z 0-9 _ -, at most 32, not root");
    }
    recipe_.user.name = pair.value;
    return {};
  }
  if (pair.key == "uid") {
    ASSIGN_OR_RETURN(recipe_.user.uid, parse_uid(pair.value));
    return {};
  }
  if (pair.key == "home") {
    RETURN_IF_ERROR(check_home(pair.value));
    recipe_.user.home = pair.value;
    return {};
  }
  return invalid("unknown key " + printable(pair.key));
}

Result<> Parser::environment(std::string_view line) {
  ASSIGN_OR_RETURN(const auto pair, split_key_value(line));
  if (!is_environment_name(pair.key)) return invalid("environment name " + printable(pair.key));
  if (!is_plain_text(pair.value))
    return invalid("environment value of " + printable(pair.key) + ": not UTF-8");
  if (pair.value.size() > 4096) return invalid("environment value longer than 4096 bytes");
  recipe_.environment.emplace_back(pair.key, pair.value);
  return claim("environment " + std::string(pair.key));
}

Result<> Parser::run(std::string_view line) {
  recipe_.run.emplace_back(line);
  return {};
}

Result<> Parser::content(std::string_view line) {
  if (!line.starts_with('|')) return invalid("a line of file content starts with '|'");
  line.remove_prefix(1);
  if (line.starts_with(' ')) line.remove_prefix(1);
  recipe_.files.back().content.append(line).append("\n");
  return {};
}

Result<Recipe> Parser::finish() && {
  RETURN_IF_ERROR(check_beginning());
  return std::move(recipe_);
}

base::Error at(std::string_view origin, std::size_t line, base::Error error) {
  return base::with_context(printable(origin) + ":" + std::to_string(line), std::move(error));
}

}  // namespace

Result<Recipe> parse_recipe(std::string_view text, std::string_view origin) {
  if (text.size() > kMaxRecipeBytes) return invalid(printable(origin) + ": longer than 256 KiB");
  Parser parser;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    ++number;
    if (auto done = parser.line(text.substr(0, end), number); !done) {
      return std::unexpected(at(origin, number, std::move(done).error()));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  auto recipe = std::move(parser).finish();
  if (!recipe) return std::unexpected(at(origin, number, std::move(recipe).error()));
  return recipe;
}

}  // namespace templates
