#pragma once

#include "template/progress.h"
#include "template/recipe.h"
#include "template/store.h"

// The template that a recipe with `from` begins with.
namespace templates {

// The recipe with what its parent decides filled in: suite, user, the parent's digest, and the parent's
// environment below its own. A recipe without `from` stays as it is.
Result<Recipe> with_parent(const Store& store, Recipe recipe);

// Links share the files with the parent, so that a thin layer costs neither time nor room. That is for
// recipes that run nothing: the builder itself replaces files and never writes into one, which code of a
// package might.
enum class CopyBy { kBytes, kLinks };
CopyBy copy_by(const Recipe& recipe);

// Brings the parent's tree to place.staging.root(); kConflict when it is not what its digest says.
struct CopyPlace {
  const Staging& staging;
  Progress& progress;
  const Cancel& cancel;
};
Result<> copy_parent(const TemplateInfo& parent, CopyBy by, const CopyPlace& place);

}  // namespace templates
