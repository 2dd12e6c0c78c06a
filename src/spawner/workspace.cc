#include "spawner/workspace.h"

#include <linux/openat2.h>

#include <optional>

#include "sys/mount.h"
#include "sys/user_namespace.h"

namespace spawner {

namespace {

using base::Code;
using base::Result;

// The part of `path` below `root`, "." when they are equal.
std::optional<std::string> below(const std::string& path, const std::string& root) {
  if (path == root) return ".";
  const std::string prefix = root.ends_with('/') ? root : root + "/";
  if (!path.starts_with(prefix)) return std::nullopt;
  return path.substr(prefix.size());
}

Result<sys::UniqueFd> open_below_roots(const std::string& path, const std::vector<std::string>& roots) {
  for (const std::string& root : roots) {
    const auto relative = below(path, root);
    if (!relative) continue;
    ASSIGN_OR_RETURN(const auto root_fd, sys::open(root, O_PATH | O_DIRECTORY));
    return sys::openat2(root_fd.get(), *relative, O_PATH | O_DIRECTORY,
                        RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  }
  return base::fail(Code::kDenied, "workspace " + path +
                                       " is below no allowed root; allow one in /etc/cove/cove.conf, "
                                       "for example: workspace_roots = /home");
}

Result<> check_writable(const std::string& path, const struct stat& st) {
  if (st.st_uid != 0 && st.st_gid != 0) return {};
  const std::string what = st.st_uid == 0 ? "" : "'s group";
  return base::fail(Code::kDenied,
                    "workspace " + path + " belongs to root" + what +
                        ", and so would every file that the sandbox writes; chown it to an "
                        "ordinary user and group (chown USER: DIR), or mount it read-only (:ro)");
}

}  // namespace

Result<> open_workspace(const WorkspaceRequest& request, const std::vector<std::string>& roots,
                        jail::Wiring& wiring) {
  ASSIGN_OR_RETURN(const auto directory, open_below_roots(request.path, roots));
  ASSIGN_OR_RETURN(const auto st, sys::fstat(directory.get()));
  if (request.access == jail::Access::kReadWrite) RETURN_IF_ERROR(check_writable(request.path, st));
  // The group has a map of its own: a directory whose group is unmapped could not be written to.
  const std::uint32_t user = request.first_id + jail::kUserId;
  ASSIGN_OR_RETURN(wiring.workspace_id_map,
                   sys::make_user_namespace({.inside = st.st_uid, .outside = user, .count = 1},
                                            {.inside = st.st_gid, .outside = user, .count = 1}));
  // Cloned here, in the spawner's own mount namespace: a helper's later one is a copy in which the
  // directory's mount is another, and a mount of another namespace cannot be cloned.
  ASSIGN_OR_RETURN(wiring.workspace, sys::clone_mount(directory.get(), ""));
  return {};
}

}  // namespace spawner
