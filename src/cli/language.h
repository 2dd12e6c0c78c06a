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
};

base::Result<const Language*> language_by_name(std::string_view name);
base::Result<const Language*> language_of_file(std::string_view path);

}  // namespace cli
