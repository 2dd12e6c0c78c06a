#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/bundle.h"

namespace cli {

using base::Result;

// Where rich results become files: DIR/output-1.png and so on. Names are ours; a sandbox has no say in them.
class OutputFiles {
 public:
  // Empty: nothing is saved.
  static Result<OutputFiles> in(const std::string& folder);
  // Images only, and the folder is made for the first of them.
  static OutputFiles of_images_in(const std::string& folder);

  bool is_saving() const { return !folder_.empty(); }
  struct Saved {
    std::string mime;
    std::string path;
  };
  // What of this display or result is more than text. Files of an earlier run are replaced.
  Result<std::vector<Saved>> save(const engine::Bundle& bundle);

 private:
  Result<> write(const std::string& path, std::string_view bytes) const;

  Result<> make_folder() const;
  std::vector<std::string_view> wanted_of(const engine::Bundle& bundle) const;

  std::string folder_;
  bool only_images_ = false;
  int displays_ = 0;
};

// The types of a display or result that would become files.
std::vector<std::string_view> kinds_of_files(const engine::Bundle& bundle);

}  // namespace cli
