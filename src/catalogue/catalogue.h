// catalogue: which templates there are, for a server that may not read root's store of them. Root writes
// <state>/catalogue/templates.json whenever a template is built, imported, named or removed, and when the
// server is started; everybody may read it. Reading is bounded and checked, as if another had written it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace catalogue {

using base::Result;

// An interpreter that the template has, with a runtime for contexts.
struct Runtime {
  std::string language;  // python, javascript, typescript, bash
  std::string version;   // "3.13"; empty: not known
};

// As people name it: "python 3.13", "node 20". TypeScript is Node's, too.
std::string name_of(const Runtime& runtime);

struct Template {
  std::vector<std::string> names;  // sorted; without one it is found by its digest alone
  std::string digest;
  std::string suite;
  std::string created;  // 2026-01-31T12:00:00Z
  std::uint64_t bytes = 0;
  std::vector<Runtime> runtimes;
  std::vector<std::pair<std::string, std::string>> environment;  // that it sets for all that runs in it
  std::string user = "user";
  std::string home = "/home/user";
};

struct Catalogue {
  std::vector<Template> templates;  // sorted by first name, then digest

  // By name, by language and version ("Python 3.11", "node 22"), by digest, or by the beginning of exactly
  // one digest: what `cove run --template` takes. kNotFound names those there are. The pointer lives as long
  // as the catalogue.
  Result<const Template*> resolve(std::string_view reference) const;
  // By a runtime that it has: the template that is called so, or else the first with a name that has it.
  Result<const Template*> with_runtime(std::string_view runtime) const;
};

constexpr std::size_t kMaxBytes = 4 << 20;
constexpr std::size_t kMaxTemplates = 1024;

std::string to_json(const Catalogue& catalogue);
// Strict: unknown or missing members, wrong types and names that no template can have are errors.
Result<Catalogue> parse(std::string_view json);

// Where the catalogue of a state directory lies.
std::string path_of(const std::string& state);
// An absent file is an empty catalogue. Cheap enough to call for each request: compare `Stamp`s to know
// whether to.
Result<Catalogue> read(const std::string& state);

// Changes whenever the file does.
struct Stamp {
  std::uint64_t inode = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  bool operator==(const Stamp&) const = default;
};
Stamp stamp_of(const std::string& state);

}  // namespace catalogue
