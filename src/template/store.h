#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "template/meta.h"
#include "template/staging.h"

namespace templates {

struct TemplateInfo {
  std::string digest;
  std::vector<std::string> names;  // sorted
  std::string root;                // path of its root file system
  Meta meta;                       //
  std::string problem;             // why `meta` cannot be read; empty: it can
};

enum class IfTaken { kFail, kReplace };  // a name that belongs to another template
enum class OldMeta { kKeep, kReplace };  // of a template that exists already

// The templates below a state directory. Needs root. Removal is in two phases: whoever knows that no sandbox
// uses a template renames its directory to trash_path(), then remove_names() and delete_tree().
class Store {
 public:
  // Makes missing directories and sweeps what killed builders left.
  static Result<Store> open(const std::string& state);

  const std::string& builds() const { return builds_; }
  // Where files for builds are kept (download_cache.h).
  const std::string& downloads() const { return downloads_; }
  std::string directory_of(std::string_view digest) const { return templates_ + "/" + std::string(digest); }
  std::string trash_path() const;

  // Sorted by first name, then digest.
  Result<std::vector<TemplateInfo>> list() const;
  // By name, by language and version (reference.h), by digest, or by the beginning of exactly one digest.
  Result<TemplateInfo> resolve(std::string_view reference) const;
  // Reads the whole tree again; kConflict when it does not have the digest it is stored under.
  Result<> verify(std::string_view digest) const;

  // kConflict when the name belongs to another template and if_taken is kFail.
  Result<> check_name_free(const std::string& name, std::string_view digest, IfTaken if_taken) const;
  Result<> set_name(const std::string& name, std::string_view digest, IfTaken if_taken) const;
  Result<> remove_name(const std::string& name) const;
  // Removes every name of this template and tells which.
  Result<std::vector<std::string>> remove_names(std::string_view digest) const;

  // Makes a finished staging directory the template meta.digest. When that exists already, its tree is the
  // same and stays.
  Result<> publish(const Staging& staging, const Meta& meta, OldMeta old_meta) const;

 private:
  explicit Store(const std::string& state);
  Result<TemplateInfo> describe(const std::string& digest) const;
  Result<std::vector<std::string>> digests() const;
  Result<std::string> digest_named(const std::string& name) const;
  Result<TemplateInfo> resolve_canonical(std::string_view reference) const;
  std::unexpected<base::Error> no_such(std::string_view reference) const;

  std::string templates_;
  std::string names_;
  std::string builds_;
  std::string downloads_;
};

}  // namespace templates
