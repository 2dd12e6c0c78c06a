#pragma once

#include "template/progress.h"
#include "template/recipe.h"
#include "template/store.h"

// The template that a recipe with `from` begins with.
namespace templates {

// The recipe with what its parent decides filled in: suite, user, the parent's digest, and the parent's
// environment below its own. A recipe without `from` stays as it is.
Result<Recipe> with_parent(const Store& store, Recipe recipe);

// Copies the parent's tree to staging.root(); kConflict when what lies there is not what its digest says.
Result<> copy_parent(const TemplateInfo& parent, const Staging& staging, Progress& progress,
                     const Cancel& cancel);

}  // namespace templates
