#pragma once

#include "template/mirror.h"
#include "template/progress.h"
#include "template/recipe.h"
#include "template/staging.h"

namespace templates {

// Installs the recipe's packages into staging.root() with mmdebstrap, in mount and pid namespaces that end
// with it.
Result<> bootstrap(const Recipe& recipe, const Staging& staging, Progress& progress, const Cancel& cancel);

}  // namespace templates
