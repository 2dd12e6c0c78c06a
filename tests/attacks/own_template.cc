#include "tests/attacks/own_template.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "sys/file.h"
#include "sys/retry.h"
#include "template/digest.h"
#include "template/meta.h"
#include "template/sha256.h"
#include "template/tree.h"
#include "template/walk.h"

namespace attacks {

namespace {

constexpr std::uint32_t kUser = 1000;
constexpr std::size_t kChunk = 1 << 20;
constexpr std::size_t kAlignment = 4096;

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<char, Free>;

Result<std::string> hash_of(int fd, char* buffer) {
  templates::Sha256 hash;
  while (true) {
    const ssize_t size = sys::retry([&] { return ::read(fd, buffer, kChunk); });
    if (size < 0) return base::failed_call("read");
    if (size == 0) return hash.take_hex();
    hash.update({buffer, static_cast<std::size_t>(size)});
  }
}

// Reads the files of a tree through the page cache and past it.
class Comparer {
 public:
  Comparer() : buffer_(static_cast<char*>(std::aligned_alloc(kAlignment, kChunk))) {}

  Result<> compare(const templates::TreeEntry& entry) {
    if (!S_ISREG(entry.status.st_mode) || !entry.same_file.empty() || !direct_) return {};
    constexpr int kReadOnly = O_RDONLY | O_NOFOLLOW;
    const auto direct = sys::openat(entry.parent, entry.name, kReadOnly | O_DIRECT);
    if (!direct && direct.error().sys_errno == EINVAL) {
      std::cout << "this file system refuses O_DIRECT: only the digest is compared\n";
      direct_ = false;
      return {};
    }
    if (!direct) return std::unexpected(direct.error());
    ASSIGN_OR_RETURN(const auto cached, sys::openat(entry.parent, entry.name, kReadOnly));
    ASSIGN_OR_RETURN(const auto on_disk, hash_of(direct->get(), buffer_.get()));
    ASSIGN_OR_RETURN(const auto in_memory, hash_of(cached.get(), buffer_.get()));
    if (on_disk != in_memory) differing_.push_back(entry.path);
    return {};
  }
  std::vector<std::string> take_differing() { return std::move(differing_); }

 private:
  Buffer buffer_;
  bool direct_ = true;
  std::vector<std::string> differing_;
};

Result<std::string> digest_of(const std::string& directory) {
  ASSIGN_OR_RETURN(const auto text, sys::read_file(directory + "/meta"));
  ASSIGN_OR_RETURN(const auto meta, templates::parse_meta(text));
  ASSIGN_OR_RETURN(const auto tree, templates::Tree::open(directory + "/root"));
  ASSIGN_OR_RETURN(const auto found, templates::digest_tree(tree.root()));
  return templates::template_digest(found.digest, meta.user, meta.environment);
}

}  // namespace

OwnTemplate::OwnTemplate(SpawnerProcess& spawner, const std::string& name) : digest_(base::random_hex(32)) {
  const std::string place = spawner.paths().templates + "/" + digest_;
  root_ = place + "/root";
  for (const std::string& path : {place, root_}) EXPECT_TRUE(sys::mkdirat(AT_FDCWD, path, 0755)) << name;
  for (const char* path : {"bin", "dev", "etc", "home", "home/user", "proc", "root", "run", "sys", "tmp",
                           "usr", "var", "var/tmp", "workspace"}) {
    EXPECT_TRUE(sys::mkdirat(AT_FDCWD, root_ + "/" + path, 0755)) << path;
  }
  for (const char* path : {"tmp", "var/tmp"}) EXPECT_EQ(::chmod((root_ + "/" + path).c_str(), 01777), 0);
  EXPECT_TRUE(sys::symlinkat(place, AT_FDCWD, spawner.paths().builds + "/" + digest_)) << name;
}

void OwnTemplate::add_directory(const std::string& path) const {
  EXPECT_TRUE(sys::mkdirat(AT_FDCWD, root_ + path, 0755)) << path;
  EXPECT_TRUE(sys::fchownat(AT_FDCWD, root_ + path, kUser, kUser)) << path;
}

void OwnTemplate::add_file(const std::string& path, const std::string& text) const {
  EXPECT_TRUE(sys::create_file_at(AT_FDCWD, root_ + path, text, 0644)) << path;
  EXPECT_TRUE(sys::fchownat(AT_FDCWD, root_ + path, kUser, kUser)) << path;
}

void OwnTemplate::add_zero_device(const std::string& path) const {
  EXPECT_TRUE(sys::mknodat(AT_FDCWD, root_ + path, S_IFCHR | 0666, ::makedev(1, 5))) << path;
  EXPECT_EQ(::chmod((root_ + path).c_str(), 0666), 0) << path;
  EXPECT_TRUE(sys::fchownat(AT_FDCWD, root_ + path, kUser, kUser)) << path;
}

std::string OwnTemplate::fingerprint() const {
  const auto tree = templates::Tree::open(root_);
  const auto found = tree ? templates::digest_tree(tree->root()) : std::unexpected(tree.error());
  EXPECT_TRUE(found) << found.error().message;
  return found ? found->digest : "";
}

std::vector<std::string> differing_files(const std::string& root) {
  Comparer comparer;
  const auto tree = templates::Tree::open(root);
  if (!tree) return {tree.error().message};
  const auto walked = templates::walk_tree(
      tree->root(), [&](const templates::TreeEntry& entry) { return comparer.compare(entry); });
  if (!walked) return {walked.error().message};
  return comparer.take_differing();
}

void expect_intact(const std::string& directory, const std::string& digest) {
  const auto now = digest_of(directory);
  EXPECT_TRUE(now) << now.error().message;
  if (now) EXPECT_EQ(*now, digest) << "the template " << directory << " was changed";
  EXPECT_EQ(differing_files(directory + "/root"), std::vector<std::string>())
      << "files that are not on disk what memory says they are";
}

}  // namespace attacks
