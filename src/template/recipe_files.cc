#include "template/recipe_files.h"

#include "sys/file.h"
#include "template/folder.h"

namespace templates {

namespace {

std::string folder_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

Result<std::string> read_lock(const RecipeLock& lock, const std::string& recipe) {
  auto text = sys::read_file(folder_of(recipe) + "/" + lock.file, kMaxLockBytes);
  if (text) return text;
  return std::unexpected(
      base::with_context(printable(recipe) + ":" + std::to_string(lock.line), text.error()));
}

Result<> read_locks(Recipe& recipe, const std::string& file) {
  if (!recipe.pip.file.empty()) {
    ASSIGN_OR_RETURN(const auto text, read_lock(recipe.pip, file));
    ASSIGN_OR_RETURN(recipe.pip_packages, parse_pip_lock(text, folder_of(file) + "/" + recipe.pip.file));
  }
  if (!recipe.npm.file.empty()) {
    ASSIGN_OR_RETURN(const auto text, read_lock(recipe.npm, file));
    ASSIGN_OR_RETURN(recipe.npm_packages, parse_npm_lock(text, folder_of(file) + "/" + recipe.npm.file));
  }
  return {};
}

Result<std::string> find_folder(const RecipeTree& tree, const std::string& recipe,
                                const std::string& shared) {
  for (const auto& where : {folder_of(recipe), shared}) {
    auto path = where + "/" + tree.source;
    const auto status = sys::fstatat(AT_FDCWD, path);
    if (status && S_ISDIR(status->st_mode)) return path;
  }
  return base::fail(base::Code::kNotFound, "no folder " + tree.source + " in " +
                                               printable(folder_of(recipe)) + " or in " + printable(shared));
}

// Before the recipe's own files, so that these win where both name one.
Result<> read_trees(Recipe& recipe, const std::string& file, const std::string& shared) {
  Folder all;
  for (const auto& tree : recipe.trees) {
    const auto done = [&]() -> Result<> {
      ASSIGN_OR_RETURN(const auto source, find_folder(tree, file, shared));
      return read_folder(source, tree.path, all);
    }();
    if (!done)
      return std::unexpected(
          base::with_context(printable(file) + ":" + std::to_string(tree.line), done.error()));
  }
  recipe.directories.insert(recipe.directories.begin(), all.directories.begin(), all.directories.end());
  recipe.files.insert(recipe.files.begin(), all.files.begin(), all.files.end());
  return {};
}

}  // namespace

Result<Recipe> load_recipe(const std::string& file, const std::string& shared) {
  ASSIGN_OR_RETURN(const auto text, sys::read_file(file));
  ASSIGN_OR_RETURN(auto recipe, parse_recipe(text, file));
  RETURN_IF_ERROR(read_locks(recipe, file));
  RETURN_IF_ERROR(read_trees(recipe, file, shared));
  return recipe;
}

}  // namespace templates
