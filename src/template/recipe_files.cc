#include "template/recipe_files.h"

#include "sys/file.h"

namespace templates {

namespace {

std::string folder_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

Result<> read_pip_lock(RecipeLock& lock, const std::string& recipe) {
  if (lock.file.empty()) return {};
  const auto path = folder_of(recipe) + "/" + lock.file;
  const auto text = sys::read_file(path, kMaxLockBytes);
  if (!text) {
    return std::unexpected(
        base::with_context(printable(recipe) + ":" + std::to_string(lock.line), text.error()));
  }
  ASSIGN_OR_RETURN(lock.packages, parse_pip_lock(*text, path));
  return {};
}

}  // namespace

Result<Recipe> load_recipe(const std::string& file) {
  ASSIGN_OR_RETURN(const auto text, sys::read_file(file));
  ASSIGN_OR_RETURN(auto recipe, parse_recipe(text, file));
  RETURN_IF_ERROR(read_pip_lock(recipe.pip, file));
  return recipe;
}

}  // namespace templates
