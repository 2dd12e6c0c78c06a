#pragma once

#include "template/archive_handle.h"
#include "template/meta.h"
#include "template/progress.h"
#include "template/tree.h"

namespace templates {

// Unpacks the members of an archive into a tree, one at a time and in the order of the archive: parents come
// before children, each path once. Only directories, regular files, symbolic links, and hard links to files
// unpacked before are taken; owners, modes and file times are kept, attributes and access lists are not.
class Unpacker {
 public:
  // `announced` bounds what may come: no more entries and bytes than it says.
  Unpacker(archive* reader, const Tree& tree, const Meta& announced);

  // An error names the member.
  Result<> add(archive_entry* entry);

 private:
  Result<> add_member(archive_entry* entry);
  Result<> add_root(archive_entry* entry);
  Result<> add_directory(archive_entry* entry, const Place& place);
  Result<> add_file(archive_entry* entry, const Place& place);
  Result<> add_symlink(archive_entry* entry, const Place& place);
  Result<> add_hardlink(archive_entry* entry, const Place& place);
  Result<> copy_content(archive_entry* entry, int fd);

  archive* reader_;
  const Tree& tree_;
  const Meta& announced_;
  std::uint64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
};

// A member's name as a tree path: "root/usr/bin" gives "usr/bin", "root" gives "". Anything else is refused.
Result<std::string> tree_path_of(const char* member);

}  // namespace templates
