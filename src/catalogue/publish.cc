#include "catalogue/publish.h"

#include <sys/file.h>

#include "catalogue/runtimes.h"
#include "sys/file.h"
#include "template/durable.h"
#include "template/store.h"

namespace catalogue {

namespace {

constexpr mode_t kForAll = 0644;

Result<Catalogue> look_through(const std::string& state) {
  ASSIGN_OR_RETURN(const auto store, templates::Store::open(state));
  ASSIGN_OR_RETURN(const auto infos, store.list());
  Catalogue catalogue;
  for (const auto& info : infos) {
    // One that cannot be read is shown by `cove template list`, with the reason.
    if (!info.problem.empty() || catalogue.templates.size() == kMaxTemplates) continue;
    ASSIGN_OR_RETURN(auto runtimes, runtimes_in(info.root));
    catalogue.templates.push_back({.names = info.names,
                                   .digest = info.digest,
                                   .suite = info.meta.suite,
                                   .created = info.meta.created,
                                   .bytes = info.meta.bytes,
                                   .runtimes = std::move(runtimes),
                                   .environment = info.meta.environment,
                                   .user = info.meta.user.name,
                                   .home = info.meta.user.home});
  }
  return catalogue;
}

// Others are waited for: whoever looked later must not be overwritten by whoever looked before.
Result<sys::UniqueFd> lock(const std::string& path) {
  ASSIGN_OR_RETURN(auto fd, sys::open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return base::failed_call("flock(" + path + ")");
  }
  return fd;
}

Result<> replace(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  auto stale = sys::unlinkat(AT_FDCWD, fresh);
  if (!stale && stale.error().code != base::Code::kNotFound) return stale;
  RETURN_IF_ERROR(templates::write_new_file(fresh, text));
  ASSIGN_OR_RETURN(const auto fd, sys::open(fresh, O_RDONLY | O_NOFOLLOW));
  RETURN_IF_ERROR(sys::fchmod(fd.get(), kForAll));
  return templates::rename_over(fresh, path);
}

Result<> make_readable_directory(const std::string& path) {
  RETURN_IF_ERROR(sys::mkdir_if_missing(path, 0755));
  ASSIGN_OR_RETURN(const auto fd, sys::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  return sys::fchmod(fd.get(), 0755);
}

Result<> publish_checked(const std::string& state) {
  RETURN_IF_ERROR(sys::mkdir_if_missing(state, 0700));
  RETURN_IF_ERROR(make_readable_directory(state + "/catalogue"));
  ASSIGN_OR_RETURN(const auto held, lock(state + "/catalogue/lock"));
  ASSIGN_OR_RETURN(const auto catalogue, look_through(state));
  const std::string text = to_json(catalogue);
  // What is the same keeps its stamp, so that nobody reads it again.
  const auto before = sys::read_file(path_of(state), kMaxBytes);
  if (before && *before == text) return {};
  return replace(path_of(state), text);
}

}  // namespace

Result<> publish(const std::string& state) {
  auto done = publish_checked(state);
  if (!done) return std::unexpected(base::with_context("catalogue of templates", std::move(done).error()));
  return {};
}

}  // namespace catalogue
