#pragma once

#include "template/recipe.h"

// What a single value in a recipe may look like.
namespace templates {

bool is_suite(std::string_view text);
// A package, optionally with "=version". No removals ("name-") and no apt patterns.
bool is_package(std::string_view text);
// A file or folder beside the recipe: one plain name.
bool is_neighbour(std::string_view text);
// Means itself to a shell.
bool is_shell_word(std::string_view text);
// An absolute path with * and ? as dpkg's path-exclude understands them.
bool is_path_glob(std::string_view text);

// Octal, without setuid and setgid bits.
Result<mode_t> parse_mode(std::string_view text);
Result<std::uint32_t> parse_uid(std::string_view text);

// An absolute path that stays visible in a sandbox: nothing is mounted over it.
Result<> check_recipe_path(std::string_view path);
// The user's: below /home, and fit for a field of /etc/passwd.
Result<> check_home(std::string_view path);

}  // namespace templates
