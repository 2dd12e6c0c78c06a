#include "template/locked_files.h"

#include <algorithm>

#include "base/units.h"
#include "sys/directory.h"
#include "template/delete_tree.h"

namespace templates {

namespace {
// Enough to make starting the tool cheap, few enough that an interrupted build has lost little.
constexpr std::size_t kBatch = 8;
}  // namespace

const DownloadCache::Key* LockedFiles::cached(std::size_t index) const {
  const auto& keys = files_[index].keys;
  const auto found = std::ranges::find_if(keys, [&](const auto& key) { return cache_.has(key); });
  return found == keys.end() ? nullptr : &*found;
}

std::vector<std::size_t> LockedFiles::missing() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (cached(i) == nullptr) out.push_back(i);
  }
  return out;
}

Result<Brought> LockedFiles::bring(const Workplace& place, const std::string& directory) {
  brought_ = {.names = std::vector<std::string>(files_.size())};
  std::vector<std::size_t> left(files_.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  // The second round is for those whose cached copy turned out to be another file.
  for (int round = 0; round < 2 && !left.empty(); ++round) {
    RETURN_IF_ERROR(fetch_missing(place));
    std::vector<std::size_t> spoilt;
    for (const auto index : left) {
      RETURN_IF_ERROR(place.cancel.check());
      ASSIGN_OR_RETURN(const bool whole, copy(index, place.tree, directory));
      if (!whole) spoilt.push_back(index);
    }
    left = std::move(spoilt);
  }
  if (left.empty()) return std::move(brought_);
  return base::fail(base::Code::kConflict,
                    files_[left.front()].label + ": the download cache changes while it is read");
}

Result<> LockedFiles::fetch_missing(const Workplace& place) {
  const auto wanted = missing();
  const auto count = wanted.size();
  for (std::size_t done = 0; done < count;) {
    RETURN_IF_ERROR(place.cancel.check());
    const auto batch = std::span(wanted).subspan(done, std::min(kBatch, count - done));
    place.progress.detail("fetching " + files_[batch.front()].label + " (" + std::to_string(done) + " of " +
                          std::to_string(count) + " fetched)");
    RETURN_IF_ERROR(fetch_batch(batch, place));
    done += batch.size();
  }
  return {};
}

Result<> LockedFiles::fetch_batch(std::span<const std::size_t> which, const Workplace& place) {
  const auto directory = place.staging.path() + "/fetched";
  RETURN_IF_ERROR(sys::mkdirat(AT_FDCWD, directory, 0700));
  RETURN_IF_ERROR(fetch_(which, directory));
  ASSIGN_OR_RETURN(const auto names, sys::entries(directory));
  for (const auto& name : names) {
    RETURN_IF_ERROR(cache_.adopt(directory + "/" + name, kind_));
  }
  for (const auto index : which) {
    if (cached(index) != nullptr) continue;
    return base::fail(base::Code::kConflict,
                      files_[index].label +
                          ": what was fetched has another hash than the lock; check where "
                          "packages come from, or lock again");
  }
  return delete_tree(directory);
}

Result<bool> LockedFiles::copy(std::size_t index, const Tree& tree, const std::string& directory) {
  const auto* key = cached(index);
  if (key == nullptr) return false;
  const auto name = cache_.name_of(*key);
  ASSIGN_OR_RETURN(const auto size, cache_.copy_out(*key, tree, directory + "/" + name));
  if (!size) return false;
  brought_.names[index] = name;
  brought_.bytes += *size;
  return true;
}

}  // namespace templates
