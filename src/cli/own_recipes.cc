#include "cli/own_recipes.h"

#include <fmt/format.h>

#include <algorithm>

#include "sys/directory.h"
#include "sys/file.h"
#include "template/rules.h"

namespace cli {

namespace {

constexpr std::string_view kSuffix = ".recipe";
// What the others are made of: nobody asks for it.
constexpr std::string_view kLayerSuffix = "-packages.recipe";

std::string folder(const Globals& globals) { return shared_folder(globals) + "/templates"; }

std::string names(const Globals& globals) {
  auto files = sys::entries(folder(globals)).value_or(std::vector<std::string>());
  std::erase_if(files, [](const std::string& file) {
    return !file.ends_with(kSuffix) || file.ends_with(kLayerSuffix);
  });
  for (auto& file : files) file.resize(file.size() - kSuffix.size());
  std::ranges::sort(files);
  return fmt::format("{}", fmt::join(files, ", "));
}

}  // namespace

std::string shared_folder(const Globals& globals) {
  const auto checkout = globals.bin + "/../..";
  return sys::fstatat(AT_FDCWD, checkout + "/templates") ? checkout : globals.bin + "/../share/cove";
}

Result<std::string> own_recipe(const Globals& globals, const std::string& name) {
  RETURN_IF_ERROR(templates::check_template_name(name));
  auto file = folder(globals) + "/" + name + std::string(kSuffix);
  if (sys::fstatat(AT_FDCWD, file)) return file;
  return base::fail(
      base::Code::kNotFound,
      fmt::format("no recipe is called '{}', there are: {}; another one is given with --recipe FILE", name,
                  names(globals)));
}

std::string how_to_build(const Globals& globals, const std::string& name) {
  const auto shown = templates::printable(name);
  if (own_recipe(globals, name)) return fmt::format("build it with: cove template build {}", shown);
  return fmt::format("build one with: cove template build {} --recipe FILE, or one of {}", shown,
                     names(globals));
}

}  // namespace cli
