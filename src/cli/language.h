#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/language.h"

namespace cli {

using engine::Language;
using engine::language_by_name;

base::Result<const Language*> language_of_file(std::string_view path);
// An error for one that only a context understands.
base::Result<> runs_as_program(const Language& language);
std::vector<std::string> cells_of(std::string_view code, const Language& language);

}  // namespace cli
