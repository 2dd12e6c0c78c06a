#include "template/installs.h"

#include "base/units.h"
#include "template/npm.h"
#include "template/pip.h"

namespace templates {

namespace {

constexpr std::string_view kWorkDirectory = "var/cache/cove";

// "12 Python packages, 3 of them not in the download cache".
std::string what_to_fetch(const DownloadCache& cache, const std::vector<LockedFile>& files,
                          std::string_view kind) {
  return "fetch " + std::to_string(files.size()) + " " + std::string(kind) + ", " +
         std::to_string(count_missing(cache, files)) + " of them not in the download cache";
}

}  // namespace

int Installs::stages(const Recipe& recipe) {
  return (recipe.pip.file.empty() ? 0 : 2) + (recipe.npm.file.empty() ? 0 : 2);
}

Result<> Installs::run(const Workplace& place) {
  if (stages(recipe_) == 0) return {};
  if (!recipe_.pip.file.empty()) RETURN_IF_ERROR(pip(place));
  if (!recipe_.npm.file.empty()) RETURN_IF_ERROR(npm(place));
  return place.tree.remove(kWorkDirectory);
}

Result<> Installs::pip(const Workplace& place) {
  const auto& packages = recipe_.pip_packages;
  const auto files = files_of(packages);
  ASSIGN_OR_RETURN(auto cache, DownloadCache::open(store_.downloads()));
  RETURN_IF_ERROR(stage_(what_to_fetch(cache, files, "Python packages")));
  ASSIGN_OR_RETURN(const auto python, python_version(place.tree));
  const std::string directory(kPipDirectory);
  RETURN_IF_ERROR(place.tree.make_parents(directory + "/x", {}));
  LockedFiles locked(files, cache, pip_fetch(packages, python, place), EVP_sha256());
  ASSIGN_OR_RETURN(const auto brought, locked.bring(place, directory));
  RETURN_IF_ERROR(stage_("install " + std::to_string(files.size()) + " Python packages for Python " + python +
                         ", " + base::format_bytes(brought.bytes)));
  RETURN_IF_ERROR(write_pip_inputs(place.tree, packages));
  return runner_.run(place.staging.root(), pip_install_command(), place.progress);
}

Result<> Installs::npm(const Workplace& place) {
  const auto& lock = recipe_.npm_packages;
  const auto files = files_of(lock);
  ASSIGN_OR_RETURN(auto cache, DownloadCache::open(store_.downloads()));
  RETURN_IF_ERROR(stage_(what_to_fetch(cache, files, "npm packages")));
  const std::string directory(kNpmDirectory);
  RETURN_IF_ERROR(place.tree.make_parents(directory + "/x", {}));
  LockedFiles locked(files, cache, npm_fetch(lock, place), EVP_sha512());
  ASSIGN_OR_RETURN(const auto brought, locked.bring(place, directory));
  RETURN_IF_ERROR(stage_("install " + std::to_string(files.size()) + " npm packages, " +
                         base::format_bytes(brought.bytes)));
  RETURN_IF_ERROR(write_npm_inputs(place.tree, lock, brought.names));
  return runner_.run(place.staging.root(), npm_install_command(recipe_.npm.file), place.progress);
}

}  // namespace templates
