#pragma once

#include "files/place.h"

namespace files {

// A file that takes its name only when it is whole: until then, and when that does not come, the file that
// has the name stays as it is. What a killed process leaves is a hidden ".cove-*.part".
class Draft {
 public:
  static Result<Draft> make(int directory);
  Draft(Draft&& other) noexcept;
  Draft& operator=(Draft&&) = delete;
  ~Draft();

  int fd() const { return file_.get(); }
  // On disk before it has the name, and the name on disk before this returns.
  Result<> publish(const std::string& name, wire::file::Existing existing);

 private:
  Draft(int directory, std::string name, sys::UniqueFd file)
      : directory_(directory), name_(std::move(name)), file_(std::move(file)) {}

  int directory_;
  std::string name_;  // empty: published, or moved away
  sys::UniqueFd file_;
};

// Renames, and fails when the new name is taken unless it may be replaced.
Result<> rename(const Place& from, const Place& to, wire::file::Existing existing);

}  // namespace files
