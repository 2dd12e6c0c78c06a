#include "files/staging.h"

#include <stdio.h>

#include <cerrno>

#include "base/ids.h"
#include "files/remove.h"
#include "files/tree_walk.h"

namespace files {

namespace {

using base::Code;
using wire::file::Existing;

constexpr int kThrough = O_PATH | O_DIRECTORY | O_NOFOLLOW;

// Looks at everything that is to move, and in its second round moves it.
class Joiner : public Visitor {
 public:
  enum class Round { kLook, kMove };

  Joiner(int target, Existing existing, Round round) : target_(target), existing_(existing), round_(round) {}

  Result<Next> enter(const Met& met) override {
    ASSIGN_OR_RETURN(const auto parent, target_parent(met.path));
    const auto there = sys::fstatat(parent.get(), met.name);
    if (!there && there.error().sys_errno != ENOENT) return std::unexpected(there.error());
    const bool is_directory = S_ISDIR(met.status.st_mode);
    if (there && is_directory && S_ISDIR(there->st_mode)) return Next::kGoIn;
    if (there && (is_directory || S_ISDIR(there->st_mode) || existing_ == Existing::kRefuse)) {
      return base::fail(Code::kConflict, met.path + ": " + std::string(name_of_kind(there->st_mode)) +
                                             " is in its way; move that first");
    }
    if (round_ == Round::kMove) RETURN_IF_ERROR(sys::renameat(met.parent, met.name, parent.get(), met.name));
    return Next::kGoOn;
  }

 private:
  Result<sys::UniqueFd> target_parent(const std::string& path) const {
    ASSIGN_OR_RETURN(auto at, sys::openat(target_, ".", kThrough));
    auto parts = parts_of(path);
    parts.pop_back();
    for (const auto& part : parts) {
      ASSIGN_OR_RETURN(at, sys::openat(at.get(), part, kThrough));
    }
    return at;
  }

  const int target_;
  const Existing existing_;
  const Round round_;
};

}  // namespace

Result<Staging> Staging::make(int directory) {
  std::string name = ".cove-" + base::random_hex(8) + ".part";
  RETURN_IF_ERROR(sys::mkdirat(directory, name, 0700));
  ASSIGN_OR_RETURN(auto top, sys::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return Staging(directory, std::move(name), std::move(top));
}

Staging::Staging(Staging&& other) noexcept
    : directory_(other.directory_), name_(std::exchange(other.name_, {})), top_(std::move(other.top_)) {}

Staging::~Staging() {
  if (name_.empty()) return;
  (void)remove_below(top_.get(), name_, nullptr);
  (void)sys::unlinkat(directory_, name_, AT_REMOVEDIR);
}

Result<sys::UniqueFd> Staging::parent_of(const std::vector<std::string>& parts, std::uint64_t& made) const {
  ASSIGN_OR_RETURN(auto at, sys::openat(top_.get(), ".", kThrough));
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    auto next = sys::openat(at.get(), parts[i], kThrough);
    if (!next && next.error().sys_errno == ENOENT) {
      RETURN_IF_ERROR(sys::mkdirat(at.get(), parts[i], 0755));
      ++made;
      next = sys::openat(at.get(), parts[i], kThrough);
    }
    if (!next) return base::fail(Code::kInvalid, "it goes through " + parts[i] + ", which is no directory");
    at = *std::move(next);
  }
  return at;
}

Result<> Staging::join(Existing existing) const {
  for (const auto round : {Joiner::Round::kLook, Joiner::Round::kMove}) {
    Joiner joiner(directory_, existing, round);
    RETURN_IF_ERROR(walk_tree(top_.get(), joiner));
  }
  return {};
}

}  // namespace files
