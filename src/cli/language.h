#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cli {

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

base::Result<const Language*> language_by_name(std::string_view name);
base::Result<const Language*> language_of_file(std::string_view path);
// An error for one that only a context understands.
base::Result<> runs_as_program(const Language& language);
std::vector<std::string> cells_of(std::string_view code, const Language& language);

}  // namespace cli
