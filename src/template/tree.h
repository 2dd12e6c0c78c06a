#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "sys/file.h"
#include "template/rules.h"

namespace templates {

struct Owner {
  uid_t uid = 0;
  gid_t gid = 0;
};

struct NewFile {
  mode_t mode = 0644;
  Owner owner;
  std::string_view content;
};

// The directory that a tree's path lies in, and the last name.
struct Place {
  sys::UniqueFd directory;
  std::string name;
};

// A template's tree while it is made. Paths are relative to its root and resolved by the kernel below the
// root's descriptor without following any symbolic link or leaving the file system.
class Tree {
 public:
  static Result<Tree> open(const std::string& root);

  int root() const { return root_.get(); }

  // An existing file or directory, opened with these flags.
  Result<sys::UniqueFd> open_at(std::string_view path, int flags) const;
  Result<Place> place_of(std::string_view path) const;

  // Makes the directory with these attributes, or sets them on the one that is there.
  Result<> make_directory(std::string_view path, mode_t mode, Owner owner) const;
  // Makes missing parents too; they get 0755 and the same owner. Existing parents stay as they are.
  Result<> make_parents(std::string_view path, Owner owner) const;
  // Replaces a file or a symbolic link that is there.
  Result<> write_file(std::string_view path, const NewFile& file) const;
  Result<std::string> read_file(std::string_view path, std::size_t limit = 1 << 20) const;
  // Removes a file, a symbolic link or a whole directory; nothing there is fine.
  Result<> remove(std::string_view path) const;
  // Empties a directory; none there is fine.
  Result<> empty(std::string_view path) const;

 private:
  explicit Tree(sys::UniqueFd root) : root_(std::move(root)) {}

  sys::UniqueFd root_;
};

}  // namespace templates
