#include "cli/language.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cli {

namespace {

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
  if (name == "ts") name = "typescript";
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

base::Result<> runs_as_program(const Language& language) {
  if (!language.run_code.empty()) return {};
  return base::fail(base::Code::kInvalid,
                    fmt::format("{} runs in a context only: add --context", language.name));
}

// The marks belong to no cell: %%bash has to stand in a cell's first line. Empty cells are none: a file may
// begin with a mark.
std::vector<std::string> cells_of(std::string_view code, const Language& language) {
  std::vector<std::string> cells(1);
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size() - 1) + 1;
    const std::string_view line = code.substr(0, end);
    if (line.starts_with(language.cell_mark)) {
      cells.emplace_back();
    } else {
      cells.back() += line;
    }
    code.remove_prefix(end);
  }
  std::erase_if(
      cells, [](const std::string& cell) { return cell.find_first_not_of(" \t\r\n") == std::string::npos; });
  return cells;
}

}  // namespace cli
