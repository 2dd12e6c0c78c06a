#pragma once

#include "template/locked_files.h"
#include "template/recipe.h"
#include "template/store.h"

namespace templates {

// Tells the next stage of the build, or stops when asked to.
using Stage = std::function<Result<>(std::string_view what)>;

// The locked packages of a recipe on their way into a tree: fetched outside, put into it, installed inside by
// `runner`, and what only the installing needed removed again.
class Installs {
 public:
  Installs(const Recipe& recipe, const Store& store, StepRunner& runner, Stage stage)
      : recipe_(recipe), store_(store), runner_(runner), stage_(std::move(stage)) {}

  // How many stages the two will tell together.
  static int stages(const Recipe& recipe);
  // Into the download cache, for a tree that has the interpreters already; it stays as it is.
  Result<> fetch(const Workplace& place);
  // From the download cache into the tree.
  Result<> install(const Workplace& place);

 private:
  const Recipe& recipe_;
  const Store& store_;
  StepRunner& runner_;
  Stage stage_;
};

}  // namespace templates
