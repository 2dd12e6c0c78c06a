#include "cli/language.h"

#include <fmt/format.h>

#include <algorithm>

namespace cli {

base::Result<const Language*> language_of_file(std::string_view path) {
  for (const Language& language : engine::languages()) {
    if (std::ranges::any_of(language.extensions, [&](auto ending) { return path.ends_with(ending); })) {
      return &language;
    }
  }
  return base::fail(base::Code::kInvalid,
                    fmt::format("cannot tell the language of {}; say it with --language ({})", path,
                                engine::language_names()));
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
