#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "template/download_cache.h"
#include "template/progress.h"
#include "template/staging.h"

// Files known by hash on their way into a tree: from the download cache or, where it lacks them, from
// wherever the host's own tools are told to fetch them. The bytes that enter the tree are the bytes that were
// hashed.
namespace templates {

struct LockedFile {
  std::string label;                     // for messages: "numpy 2.3.4"
  std::vector<DownloadCache::Key> keys;  // any of them will do
};

// Fetches files into an empty directory, in any order and under names of their own.
using Fetch = std::function<Result<>(std::span<const std::size_t> which, const std::string& directory)>;

struct Workplace {
  const Staging& staging;
  const Tree& tree;
  Progress& progress;
  const Cancel& cancel;
};

struct Brought {
  std::vector<std::string> names;  // in the order of the locked files
  std::uint64_t bytes = 0;
};

class LockedFiles {
 public:
  LockedFiles(const std::vector<LockedFile>& files, DownloadCache& cache, Fetch fetch, const EVP_MD* kind)
      : files_(files), cache_(cache), fetch_(std::move(fetch)), kind_(kind) {}

  // Those that the cache lacks, and how they come into it.
  std::vector<std::size_t> missing() const;
  Result<> fetch_missing(const Workplace& place);

  // Puts all of them into `directory` of the tree, which is there. One whose cached copy is not what its hash
  // says is fetched again.
  Result<Brought> bring(const Workplace& place, const std::string& directory);

 private:
  // The key under which the cache has the file; none: it does not.
  const DownloadCache::Key* cached(std::size_t index) const;
  Result<> fetch_batch(std::span<const std::size_t> which, const Workplace& place);
  // False: what the cache had was not it.
  Result<bool> copy(std::size_t index, const Tree& tree, const std::string& directory);

  const std::vector<LockedFile>& files_;
  DownloadCache& cache_;
  Fetch fetch_;
  const EVP_MD* kind_;
  Brought brought_;
};

}  // namespace templates
