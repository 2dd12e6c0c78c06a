#include "cli/language.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cli {

namespace {

// In a function, because the table owns memory.
const std::vector<Language>& languages() {
  static const std::vector<Language> kLanguages = {
      {"python", {".py"}, {"python3", "-u"}, {"python3", "-u", "-c"}},
      {"javascript", {".js", ".mjs", ".cjs"}, {"node"}, {"node", "-e"}},
      {"bash", {".sh", ".bash"}, {"bash"}, {"bash", "-c"}},
  };
  return kLanguages;
}

std::string known_names() {
  std::vector<std::string_view> names;
  for (const Language& language : languages()) names.push_back(language.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

base::Result<const Language*> language_by_name(std::string_view name) {
  // What people type.
  if (name == "py" || name == "python3") name = "python";
  if (name == "js" || name == "node") name = "javascript";
  if (name == "sh" || name == "shell") name = "bash";
  for (const Language& language : languages()) {
    if (language.name == name) return &language;
  }
  return base::fail(base::Code::kInvalid,
                    fmt::format("unknown language '{}'; known: {}", name, known_names()));
}

base::Result<const Language*> language_of_file(std::string_view path) {
  for (const Language& language : languages()) {
    if (std::ranges::any_of(language.extensions, [&](auto ending) { return path.ends_with(ending); })) {
      return &language;
    }
  }
  return base::fail(
      base::Code::kInvalid,
      fmt::format("cannot tell the language of {}; say it with --language ({})", path, known_names()));
}

}  // namespace cli
