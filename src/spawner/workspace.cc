#include "spawner/workspace.h"

#include <linux/openat2.h>

#include <optional>

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

}  // namespace

Result<> open_workspace(const std::string& path, jail::Access access, std::uint32_t first_id,
                        const std::vector<std::string>& roots, jail::Wiring& wiring) {
  ASSIGN_OR_RETURN(wiring.workspace, open_below_roots(path, roots));
  ASSIGN_OR_RETURN(const auto st, sys::fstat(wiring.workspace.get()));
  if (access == jail::Access::kReadWrite && st.st_uid == 0) {
    return base::fail(Code::kDenied, "workspace " + path +
                                         " belongs to root, and so would every file that the sandbox writes; "
                                         "chown it to an ordinary user, or mount it read-only (:ro)");
  }
  ASSIGN_OR_RETURN(
      wiring.workspace_id_map,
      sys::make_user_namespace({.inside = st.st_uid, .outside = first_id + jail::kUserId, .count = 1}));
  return {};
}

}  // namespace spawner
