#pragma once

#include <functional>

#include "template/bootstrap.h"
#include "template/progress.h"
#include "template/recipe.h"
#include "template/store.h"

namespace templates {

enum class Rebuild { kIfChanged, kAlways };

// Fills staging.root() with the recipe's packages.
using Installer = std::function<Result<>(const Recipe&, const Staging&, Progress&, const Cancel&)>;

struct BuildRequest {
  std::string name;
  Recipe recipe;
  Rebuild rebuild = Rebuild::kIfChanged;
  Cancel cancel;
  Installer install = bootstrap;
};

struct BuildOutcome {
  enum class What { kBuilt, kUpToDate };
  What what = What::kBuilt;
  TemplateInfo info;
};

// Builds the recipe and gives the result the name, or finds that the same recipe was built before. Waits when
// another process builds the same name. Whatever happens, also a kill, no half-made template is ever visible.
Result<BuildOutcome> build(const Store& store, const BuildRequest& request, Progress& progress,
                           StepRunner& runner);

}  // namespace templates
