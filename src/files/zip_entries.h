#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace files {

// How many entries the directory of a zip can have, known before anybody reads it: libarchive reads all of it
// before it tells of the first entry, and takes 160 bytes for each. Every entry begins with a mark of its
// own, wherever the directory is said to be; a zip within the zip that is not compressed counts along.
class ZipEntries {
 public:
  // The next piece of the archive.
  void look_at(std::string_view piece);
  std::uint64_t at_most() const { return marks_; }

 private:
  std::string tail_;  // of what came before: a mark may begin there
  std::uint64_t marks_ = 0;
};

}  // namespace files
