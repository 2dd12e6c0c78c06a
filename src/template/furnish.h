#pragma once

#include "template/recipe.h"
#include "template/tree.h"

namespace templates {

// Adds the recipe's user to passwd, group and shadow, with a home copied from /etc/skel. The password is
// locked.
Result<> create_user(const Tree& tree, const RecipeUser& user);

// Makes the recipe's directories and files. What lies in the user's home belongs to the user.
Result<> place_files(const Tree& tree, const Recipe& recipe);

// Removes every extended attribute and access list in the tree: they are not part of a template, and a
// forgotten capability or overlay attribute must not act in a sandbox.
Result<> strip_attributes(const Tree& tree);

}  // namespace templates
