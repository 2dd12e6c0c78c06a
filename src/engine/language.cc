#include "engine/language.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace engine {

// In a function, because the table owns memory.
const std::vector<Language>& languages() {
  static const std::vector<Language> kLanguages = {
      {.name = "python",
       .extensions = {".py"},
       .run_file = {"python3", "-u"},
       .run_code = {"python3", "-u", "-c"},
       .context = {"python3", "/usr/lib/cove/runtimes/python/start.py"},
       .cell_mark = "# %%",
       .has_zygote = true},
      {.name = "javascript",
       .extensions = {".js", ".mjs", ".cjs"},
       .run_file = {"node"},
       .run_code = {"node", "-e"},
       .context = {"node", "--expose-internals", "/usr/lib/cove/runtimes/node/start.js"},
       .cell_mark = "// %%"},
      {.name = "typescript",
       .extensions = {".ts", ".mts"},
       .context = {"node", "--expose-internals", "/usr/lib/cove/runtimes/node/start.js"},
       .dialect = "typescript",
       .cell_mark = "// %%"},
      {.name = "bash",
       .extensions = {".sh", ".bash"},
       .run_file = {"bash"},
       .run_code = {"bash", "-c"},
       .context = {"bash", "/usr/lib/cove/runtimes/bash/start.sh"},
       .cell_mark = "# %%"},
  };
  return kLanguages;
}

std::string language_names() {
  std::vector<std::string_view> names;
  for (const Language& language : languages()) names.push_back(language.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

base::Result<const Language*> language_by_name(std::string_view name) {
  // What people type.
  if (name == "py" || name == "python3") name = "python";
  if (name == "js" || name == "node") name = "javascript";
  if (name == "ts") name = "typescript";
  if (name == "sh" || name == "shell") name = "bash";
  for (const Language& language : languages()) {
    if (language.name == name) return &language;
  }
  return base::fail(base::Code::kInvalid,
                    fmt::format("unknown language '{}'; known: {}", name, language_names()));
}

}  // namespace engine
