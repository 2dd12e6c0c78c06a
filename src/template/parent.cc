#include "template/parent.h"

#include <algorithm>

#include "template/command.h"
#include "template/digest.h"
#include "template/tree.h"

namespace templates {

namespace {

// The parent's, in its order, each value replaced where the recipe has another; then the recipe's further
// ones.
Environment joined(Environment parent, const Environment& own) {
  for (const auto& [key, value] : own) {
    const auto same = std::ranges::find(parent, key, [](const auto& pair) { return pair.first; });
    if (same == parent.end()) {
      parent.emplace_back(key, value);
    } else {
      same->second = value;
    }
  }
  return parent;
}

}  // namespace

Result<Recipe> with_parent(const Store& store, Recipe recipe) {
  if (recipe.from.empty()) return recipe;
  const auto parent = store.resolve(recipe.from);
  if (!parent && parent.error().code == base::Code::kNotFound) {
    return base::fail(base::Code::kNotFound, "the recipe begins with template " + recipe.from +
                                                 ", which is not here; build it first: cove template build " +
                                                 recipe.from);
  }
  if (!parent) return std::unexpected(parent.error());
  if (!parent->problem.empty())
    return base::fail(base::Code::kConflict, recipe.from + ": " + parent->problem);
  recipe.suite = parent->meta.suite;
  recipe.user = parent->meta.user;
  recipe.environment = joined(parent->meta.environment, recipe.environment);
  recipe.from_digest = parent->digest;
  return recipe;
}

CopyBy copy_by(const Recipe& recipe) {
  const bool runs = !recipe.run.empty() || !recipe.pip.file.empty() || !recipe.npm.file.empty();
  return runs ? CopyBy::kBytes : CopyBy::kLinks;
}

Result<> copy_parent(const TemplateInfo& parent, CopyBy by, const CopyPlace& place) {
  const auto* const how = by == CopyBy::kLinks ? "--link" : "--reflink=auto";
  // Times too: interpreters compare a cached file with its source's time.
  const Command copy{.argv = {"cp", "-a", how, "--", parent.root, place.staging.root()},
                     .environment = command_environment(),
                     .kept_fd = place.staging.lock()};
  RETURN_IF_ERROR(run_command(copy, place.progress, place.cancel));
  ASSIGN_OR_RETURN(const auto tree, Tree::open(place.staging.root()));
  ASSIGN_OR_RETURN(const auto found, digest_tree(tree.root()));
  if (template_digest(found.digest, parent.meta.user, parent.meta.environment) == parent.digest) return {};
  return base::fail(base::Code::kConflict,
                    "template " + parent.digest.substr(0, 12) +
                        " is no longer what its digest says: build it again with --force");
}

}  // namespace templates
