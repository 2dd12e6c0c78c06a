#include "files/remove.h"

#include <unistd.h>

#include <cerrno>

#include "files/place.h"
#include "files/tree_walk.h"

namespace files {

namespace {

class Remover : public Visitor {
 public:
  Remover(const std::string& path, dev_t device, Call* call) : path_(path), device_(device), call_(call) {}

  Result<Next> enter(const Met& met) override {
    if (call_ != nullptr) RETURN_IF_ERROR(call_->check());
    if (S_ISDIR(met.status.st_mode) && met.status.st_dev != device_) {
      return base::failed_call("remove(" + path_ + "/" + met.path + ")", EXDEV);
    }
    if (S_ISDIR(met.status.st_mode)) return Next::kGoIn;
    RETURN_IF_ERROR(unlink(met, 0));
    return Next::kGoOn;
  }

  Result<> leave(const Met& met) override { return unlink(met, AT_REMOVEDIR); }

  // In any order: what is first on the disk goes first.
  void sort(int, std::vector<std::string>&) override {}

  std::uint64_t removed() const { return removed_; }

 private:
  Result<> unlink(const Met& met, int flags) {
    if (::unlinkat(met.parent, met.name.c_str(), flags) == 0) {
      ++removed_;
      return {};
    }
    if (errno == ENOENT) return {};
    return base::failed_call("remove(" + path_ + "/" + met.path + ")");
  }

  const std::string& path_;
  const dev_t device_;
  Call* const call_;
  std::uint64_t removed_ = 0;
};

}  // namespace

Result<std::uint64_t> remove_below(int directory, const std::string& path, Call* call) {
  ASSIGN_OR_RETURN(const auto status, sys::fstat(directory));
  Remover remover(path, status.st_dev, call);
  RETURN_IF_ERROR(walk_tree(directory, remover));
  return remover.removed();
}

Result<wire::file::Done> remove(Call& call, const wire::file::Remove& request) {
  ASSIGN_OR_RETURN(const auto place, resolve_existing(request.path, Links::kKeep));
  if (place.name == ".") {
    return base::fail(base::Code::kInvalid,
                      request.path + " ends at a directory that has no name there; name it in full");
  }
  const int flags = place.is_directory() ? AT_REMOVEDIR : 0;
  wire::file::Done done{.entries = 1};
  if (place.is_directory() && request.tree != 0) {
    auto top = sys::openat(place.parent.get(), place.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!top) return base::failed_call("open(" + request.path + ")", top.error().sys_errno);
    ASSIGN_OR_RETURN(const auto below, remove_below(top->get(), request.path, &call));
    done.entries += below;
  }
  if (::unlinkat(place.parent.get(), place.name.c_str(), flags) == 0) return done;
  if (errno == ENOTEMPTY && request.tree == 0) {
    return std::unexpected(
        base::Error{base::Code::kConflict,
                    request.path + " is a directory with something in it; remove it as a tree", ENOTEMPTY});
  }
  return base::failed_call("remove(" + request.path + ")");
}

}  // namespace files
