#pragma once

#include "cli/command.h"

// The recipes that come with Cove.
namespace cli {

// What comes with Cove and is no program: two levels above the program in a checkout (build/bin/cove), or
// where a package puts it.
std::string shared_folder(const Globals& globals);

// The file of the recipe of that name; an error tells which there are.
Result<std::string> own_recipe(const Globals& globals, const std::string& name);

// What to do about a template that is not here.
std::string how_to_build(const Globals& globals, const std::string& name);

}  // namespace cli
