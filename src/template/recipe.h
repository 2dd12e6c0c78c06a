// A recipe says what a template is made of, in plain text:
//
//   suite = trixie                  # or, instead of suite, packages, exclude and user:
//   from = base                     # another template, by name or digest; what follows is put on top of it
//   [packages]                      # one per line, from the Debian archive, without recommended ones
//   python3
//   [exclude]                       # path globs that dpkg does not unpack
//   /usr/share/man/*
//   [user]
//   name = user
//   uid = 1000
//   home = /home/user
//   [environment]
//   LANG = C.UTF-8
//   [directory /home/user/bin 0755]
//   [file /etc/pip.conf 0644]       # content lines start with '|' and one space
//   | [global]
//   | break-system-packages = true
//   [tree /usr/lib/x folder]        # a folder beside the recipe, with all that is in it
//   [pip python.lock]               # Python packages by hash, of a file beside the recipe (pip_lock.h)
//   [npm node.lock]                 # npm packages by hash, likewise (npm_lock.h), for everybody, or
//   [npm node.lock /usr/lib/x]      # for the programs below this directory only
//   [run]                           # shell commands, one per line, as root inside a sandbox
//   echo hello > /etc/greeting
//
// Files and directories below the user's home belong to the user, all others to root. Unknown keys, repeated
// sections and control characters are errors that name the line.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "template/npm_lock.h"
#include "template/pip_lock.h"
#include "template/rules.h"

namespace templates {

constexpr std::size_t kMaxRecipeBytes = 256 * 1024;

struct RecipeUser {
  std::string name = "user";
  std::uint32_t uid = 1000;
  std::string home = "/home/user";
};

struct RecipeDirectory {
  std::string path;
  mode_t mode = 0755;
};

struct RecipeFile {
  std::string path;
  mode_t mode = 0644;
  std::string content;
};

// A folder that the recipe names; its files become files of the recipe when it is read (recipe_files.h).
struct RecipeTree {
  std::string path;
  std::string source;
  std::size_t line = 0;
};

// A lock file that the recipe names.
struct RecipeLock {
  std::string file;  // empty: the recipe has none
  std::size_t line = 0;
  std::string path = {};  // of npm's: the directory whose node_modules it becomes; empty: for everybody
};

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Recipe {
  std::string suite;
  std::string from;         // the template to begin with, instead of the suite's packages
  std::string from_digest;  // which one that is; known when its store has been asked (parent.h)
  std::vector<std::string> packages;
  std::vector<std::string> exclude;
  RecipeUser user;
  Environment environment;
  std::vector<RecipeDirectory> directories;
  std::vector<RecipeFile> files;
  std::vector<RecipeTree> trees;
  RecipeLock pip;
  RecipeLock npm;
  std::vector<LockedPackage> pip_packages;  // what the locks say, once they have been read (recipe_files.h)
  NpmLock npm_packages;
  std::vector<std::string> run;
};

// `origin` is the file's name, for messages ("base.recipe:12: …").
Result<Recipe> parse_recipe(std::string_view text, std::string_view origin);

// Equal for recipes that mean the same to this version of the builder, whatever their comments.
std::string recipe_digest(const Recipe& recipe);

}  // namespace templates
