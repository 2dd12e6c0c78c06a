#include "template/digest.h"

#include <unistd.h>

#include <vector>

#include "sys/file.h"
#include "sys/retry.h"
#include "template/sha256.h"
#include "template/walk.h"

namespace templates {

namespace {

constexpr std::string_view kManifestVersion = "cove-tree 1\n";

// The tree's manifest, hashed while it is written. A line per entry:
//   d MODE UID GID LENGTH:PATH
//   f MODE UID GID SIZE SHA256 LENGTH:PATH
//   h LENGTH:PATH LENGTH:EARLIER-PATH
//   l UID GID LENGTH:PATH LENGTH:TARGET
class Manifest {
 public:
  Manifest() : buffer_(1 << 20) { hash_.update(kManifestVersion); }

  Result<> add(const TreeEntry& entry);
  TreeDigest finish();

 private:
  Result<std::string> content_hash(const TreeEntry& entry);

  Sha256 hash_;
  TreeDigest total_;
  std::vector<char> buffer_;
};

std::string counted(std::string_view text) { return std::to_string(text.size()) + ":" + std::string(text); }

std::string owner(const struct stat& status) {
  return std::to_string(status.st_uid) + " " + std::to_string(status.st_gid) + " ";
}

Result<> Manifest::add(const TreeEntry& entry) {
  const auto& status = entry.status;
  const auto mode = std::to_string(status.st_mode & 07777) + " ";
  std::string line;
  if (S_ISDIR(status.st_mode)) {
    line = "d " + mode + owner(status) + counted(entry.path);
  } else if (S_ISLNK(status.st_mode)) {
    line = "l " + owner(status) + counted(entry.path) + " " + counted(entry.target);
  } else if (!entry.same_file.empty()) {
    line = "h " + counted(entry.path) + " " + counted(entry.same_file);
  } else {
    ASSIGN_OR_RETURN(const auto content, content_hash(entry));
    line = "f " + mode + owner(status) + std::to_string(status.st_size) + " " + content + " " +
           counted(entry.path);
    total_.bytes += static_cast<std::uint64_t>(status.st_size);
  }
  ++total_.entries;
  hash_.update(line + "\n");
  return {};
}

Result<std::string> Manifest::content_hash(const TreeEntry& entry) {
  ASSIGN_OR_RETURN(const auto fd,
                   sys::openat(entry.parent, entry.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  Sha256 content;
  std::uint64_t size = 0;
  while (true) {
    const ssize_t n = sys::retry([&] { return ::read(fd.get(), buffer_.data(), buffer_.size()); });
    if (n < 0) return base::failed_call("read(" + entry.path + ")");
    if (n == 0) break;
    size += static_cast<std::uint64_t>(n);
    content.update({buffer_.data(), static_cast<std::size_t>(n)});
  }
  if (size != static_cast<std::uint64_t>(entry.status.st_size)) {
    return base::fail(base::Code::kConflict, "/" + entry.path + ": changed while it was read");
  }
  return content.take_hex();
}

TreeDigest Manifest::finish() {
  total_.digest = hash_.take_hex();
  return total_;
}

}  // namespace

Result<TreeDigest> digest_tree(int root) {
  Manifest manifest;
  RETURN_IF_ERROR(walk_tree(root, [&](const TreeEntry& entry) { return manifest.add(entry); }));
  return manifest.finish();
}

}  // namespace templates
