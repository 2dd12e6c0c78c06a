#pragma once

#include "template/mirror.h"
#include "template/progress.h"
#include "template/recipe.h"
#include "template/staging.h"

namespace templates {

// Installs the recipe's packages into staging.root() with mmdebstrap, in mount and pid namespaces that end
// with it.
Result<> bootstrap(const Recipe& recipe, const Staging& staging, Progress& progress, const Cancel& cancel);

// The command line; the files it names are written by bootstrap().
std::vector<std::string> bootstrap_argv(const Recipe& recipe, const Staging& staging);

}  // namespace templates
