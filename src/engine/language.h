#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace engine {

// How code of a language is run.
struct Language {
  std::string_view name;
  std::vector<std::string_view> extensions;
  std::vector<std::string_view> run_file;  // the file's path follows
  std::vector<std::string_view> run_code;  // the code follows
  std::vector<std::string_view> context;   // starts its runtime
  std::string_view dialect;                // for a runtime of several languages
  std::string_view cell_mark;              // a line that begins with it begins a cell
  bool has_zygote = false;                 // its contexts may come from one
};

const std::vector<Language>& languages();
// "python, javascript, …"
std::string language_names();
// Also by what people type: py, js, node, ts, sh.
base::Result<const Language*> language_by_name(std::string_view name);

}  // namespace engine
