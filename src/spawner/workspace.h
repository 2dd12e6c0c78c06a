#pragma once

#include <string>
#include <vector>

#include "jail/plan.h"
#include "jail/wiring.h"

namespace spawner {

struct WorkspaceRequest {
  std::string path;
  jail::Access access = jail::Access::kReadOnly;
  std::uint32_t first_id = 0;  // of the sandbox's block
};

// Opens a directory of the host for a sandbox: it must lie below one of the roots that the root-owned
// configuration allows, is reached without following any link, and, to be writable, must not belong to root:
// what a sandbox writes there belongs to the directory's owner on the host.
base::Result<> open_workspace(const WorkspaceRequest& request, const std::vector<std::string>& roots,
                              jail::Wiring& wiring);

}  // namespace spawner
