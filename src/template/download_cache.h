#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "template/sha256.h"
#include "template/tree.h"

namespace templates {

// Files that were fetched for builds, by their hash: <state>/downloads/sha256-<hex>-<file name>. Builds share
// it, and anybody may delete from it at any time. What lies there is believed by nobody: whoever takes a file
// out hashes the bytes that he takes.
class DownloadCache {
 public:
  // "sha256-" or "sha512-" and hex digits.
  using Key = std::string;

  static Result<DownloadCache> open(const std::string& directory);

  bool has(const Key& key) const { return files_.contains(key); }
  // The file's own name, as its maker calls it.
  std::string name_of(const Key& key) const { return files_.at(key); }

  // Takes the fetched file in under the hash that it has, and returns that key.
  Result<Key> adopt(const std::string& file, const EVP_MD* kind);
  // Copies a file into a tree, owned by root, and returns its size. When its bytes are not those of its key,
  // it is thrown out of the cache, nothing is left in the tree, and the answer is empty.
  Result<std::optional<std::uint64_t>> copy_out(const Key& key, const Tree& tree, std::string_view path);

 private:
  explicit DownloadCache(std::string directory) : directory_(std::move(directory)) {}
  std::string path_of(const Key& key) const { return directory_ + "/" + key + "-" + files_.at(key); }
  void forget(const Key& key);

  std::string directory_;
  std::map<Key, std::string> files_;
};

// A name that a package file may have: letters, digits and . _ + - only.
bool is_download_name(std::string_view name);

}  // namespace templates
