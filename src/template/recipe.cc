#include "template/recipe.h"

#include "template/sha256.h"

namespace templates {

namespace {
// Raised whenever the builder makes something else of the same recipe.
constexpr std::string_view kBuilderVersion = "1";

// Length-prefixed, so that no two lists of fields hash alike.
class Fields {
 public:
  Fields& add(std::string_view value) {
    hash_.update(std::to_string(value.size()) + ":");
    hash_.update(value);
    return *this;
  }
  Fields& add(std::uint64_t number) { return add(std::to_string(number)); }
  std::string take_hex() { return hash_.take_hex(); }

 private:
  Sha256 hash_;
};
}  // namespace

std::string recipe_digest(const Recipe& recipe) {
  Fields fields;
  fields.add("cove-recipe").add(kBuilderVersion).add(recipe.suite);
  fields.add(recipe.packages.size());
  for (const auto& package : recipe.packages) fields.add(package);
  fields.add(recipe.exclude.size());
  for (const auto& glob : recipe.exclude) fields.add(glob);
  fields.add(recipe.user.name).add(recipe.user.uid).add(recipe.user.home);
  fields.add(recipe.environment.size());
  for (const auto& [key, value] : recipe.environment) fields.add(key).add(value);
  fields.add(recipe.directories.size());
  for (const auto& directory : recipe.directories) fields.add(directory.path).add(directory.mode);
  fields.add(recipe.files.size());
  for (const auto& file : recipe.files) fields.add(file.path).add(file.mode).add(file.content);
  fields.add(recipe.run.size());
  for (const auto& command : recipe.run) fields.add(command);
  // Only where they are used, so that a recipe without them keeps the digest it had before they existed.
  if (!recipe.from_digest.empty()) fields.add("from").add(recipe.from_digest);
  if (!recipe.pip.file.empty()) fields.add("pip").add(format_requirements(recipe.pip_packages));
  // The file's name is part of where its packages go.
  if (!recipe.npm.file.empty()) fields.add("npm").add(recipe.npm.file).add(recipe.npm_packages.text);
  if (!recipe.npm.path.empty()) fields.add("npm-path").add(recipe.npm.path);
  return fields.take_hex();
}

}  // namespace templates
