#pragma once

#include "template/recipe.h"

namespace templates {

// What lies in a folder of the host, as parts of a recipe.
struct Folder {
  std::vector<RecipeDirectory> directories;  // parents before children
  std::vector<RecipeFile> files;
  std::size_t bytes = 0;
};

// Adds the folder `source` as the directory `path` of a template. Modes become 0755, or 0644 for files that
// nobody may execute. What Python and npm leave behind in a checkout (__pycache__, node_modules) is passed
// over; anything but files and folders is an error.
Result<> read_folder(const std::string& source, const std::string& path, Folder& all);

}  // namespace templates
