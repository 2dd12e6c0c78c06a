#include <cstddef>
#include <cstdint>
#include <string_view>

#include "template/recipe.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto recipe = templates::parse_recipe(text, "fuzz")) (void)templates::recipe_digest(*recipe);
  return 0;
}
