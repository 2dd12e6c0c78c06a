#include "files/zip_entries.h"

#include <algorithm>

namespace files {

namespace {

constexpr std::string_view kMark = "PK\1\2";

std::uint64_t marks_in(std::string_view text) {
  std::uint64_t count = 0;
  for (auto at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + kMark.size()))
    ++count;
  return count;
}

}  // namespace

void ZipEntries::look_at(std::string_view piece) {
  constexpr std::size_t kMostCut = kMark.size() - 1;
  // Too little on either side for a mark that does not go across.
  const std::string seam = tail_ + std::string(piece.substr(0, kMostCut));
  marks_ += marks_in(seam) + marks_in(piece);
  tail_ += piece.substr(piece.size() - std::min(piece.size(), kMostCut));
  tail_.erase(0, tail_.size() - std::min(tail_.size(), kMostCut));
}

}  // namespace files
