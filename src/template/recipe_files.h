#pragma once

#include "template/recipe.h"

namespace templates {

// The recipe in `file` together with what it names: lock files, which lie beside it, and folders, which lie
// beside it or in `shared`, where those are that come with Cove.
Result<Recipe> load_recipe(const std::string& file, const std::string& shared);

}  // namespace templates
