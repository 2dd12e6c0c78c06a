#pragma once

#include "template/recipe.h"

namespace templates {

// The recipe in `file` together with the lock files that it names, which lie beside it.
Result<Recipe> load_recipe(const std::string& file);

}  // namespace templates
