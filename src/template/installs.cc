#include "template/installs.h"

#include "base/units.h"
#include "template/npm.h"
#include "template/pip.h"

namespace templates {

namespace {

constexpr std::string_view kWorkDirectory = "var/cache/cove";

// What differs between packages of Python and of npm.
struct Kind {
  std::string what;  // "Python 3.13 packages"
  std::vector<LockedFile> files;
  Fetch fetch;
  const EVP_MD* hash;
  std::string directory;
  std::function<Result<>(const std::vector<std::string>& names)> write_inputs;
  std::string command;
};

Result<Kind> pip_kind(const Recipe& recipe, const Workplace& place) {
  ASSIGN_OR_RETURN(const auto python, python_version(place.tree));
  const auto& packages = recipe.pip_packages;
  return Kind{.what = "Python " + python + " packages",
              .files = files_of(packages),
              .fetch = pip_fetch(packages, python, place),
              .hash = EVP_sha256(),
              .directory = std::string(kPipDirectory),
              .write_inputs = [&](const auto&) { return write_pip_inputs(place.tree, packages); },
              .command = pip_install_command()};
}

Kind npm_kind(const Recipe& recipe, const Workplace& place) {
  const auto& lock = recipe.npm_packages;
  return {.what = "npm packages",
          .files = files_of(lock),
          .fetch = npm_fetch(lock, place),
          .hash = EVP_sha512(),
          .directory = std::string(kNpmDirectory),
          .write_inputs = [&](const auto& names) { return write_npm_inputs(place.tree, lock, names); },
          .command = npm_install_command(recipe.npm)};
}

Result<std::vector<Kind>> kinds_of(const Recipe& recipe, const Workplace& place) {
  std::vector<Kind> kinds;
  if (!recipe.pip.file.empty()) {
    ASSIGN_OR_RETURN(auto kind, pip_kind(recipe, place));
    kinds.push_back(std::move(kind));
  }
  if (!recipe.npm.file.empty()) kinds.push_back(npm_kind(recipe, place));
  return kinds;
}

std::string counted(const Kind& kind) { return std::to_string(kind.files.size()) + " " + kind.what + ", "; }

}  // namespace

int Installs::stages(const Recipe& recipe) {
  return (recipe.pip.file.empty() ? 0 : 2) + (recipe.npm.file.empty() ? 0 : 2);
}

Result<> Installs::fetch(const Workplace& place) {
  if (stages(recipe_) == 0) return {};
  ASSIGN_OR_RETURN(auto cache, DownloadCache::open(store_.downloads()));
  ASSIGN_OR_RETURN(const auto kinds, kinds_of(recipe_, place));
  for (const auto& kind : kinds) {
    LockedFiles locked(kind.files, cache, kind.fetch, kind.hash);
    RETURN_IF_ERROR(stage_("fetch " + counted(kind) + std::to_string(locked.missing().size()) +
                           " of them not in the download cache"));
    RETURN_IF_ERROR(locked.fetch_missing(place));
  }
  return {};
}

Result<> Installs::install(const Workplace& place) {
  if (stages(recipe_) == 0) return {};
  ASSIGN_OR_RETURN(auto cache, DownloadCache::open(store_.downloads()));
  ASSIGN_OR_RETURN(const auto kinds, kinds_of(recipe_, place));
  for (const auto& kind : kinds) {
    RETURN_IF_ERROR(place.tree.make_parents(kind.directory + "/x", {}));
    LockedFiles locked(kind.files, cache, kind.fetch, kind.hash);
    ASSIGN_OR_RETURN(const auto brought, locked.bring(place, kind.directory));
    RETURN_IF_ERROR(stage_("install " + counted(kind) + base::format_bytes(brought.bytes)));
    RETURN_IF_ERROR(kind.write_inputs(brought.names));
    RETURN_IF_ERROR(runner_.run(place.staging.root(), kind.command, place.progress));
  }
  return place.tree.remove(kWorkDirectory);
}

}  // namespace templates
