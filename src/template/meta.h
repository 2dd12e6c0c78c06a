#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "template/recipe.h"

namespace templates {

// What is known of a template besides its tree: the text file `meta` beside it, and the first member of an
// exported archive.
struct Meta {
  std::string name;           // it was built or imported under; names/ says what it is called now
  std::string digest;         // template_digest
  std::string recipe;         // recipe_digest; empty when imported, so that it never answers for a recipe
  std::string suite;          //
  std::string created;        // 2026-01-31T12:00:00Z
  std::string version;        // of Cove
  std::uint64_t bytes = 0;    // TreeDigest
  std::uint64_t entries = 0;  //
  RecipeUser user;            //
  Environment environment;    //
};

constexpr std::size_t kMaxMetaBytes = 64 * 1024;

// What a template is known by: its tree and how sandboxes use it. Two templates that differ only in their
// user or environment are two templates.
std::string template_digest(std::string_view tree_digest, const RecipeUser& user,
                            const Environment& environment);

std::string format_meta(const Meta& meta);
// Strict: the text may come from a hostile archive. Every key exactly once, environment any number of times.
Result<Meta> parse_meta(std::string_view text);

// Now, as Meta::created has it.
std::string utc_now();

}  // namespace templates
