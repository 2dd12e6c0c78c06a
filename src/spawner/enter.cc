// How a context comes into a sandbox without a cold start: by a fork of its template's zygote.
#include "spawner/request_check.h"
#include "spawner/sandboxes.h"

namespace spawner {

using base::Code;

Result<> Sandboxes::warm(int client, const wire::spawner::Warm& request) {
  const std::string digest(request.digest.view());
  RETURN_IF_ERROR(check_digest(digest));
  const std::string root = paths_.templates + "/" + digest + "/root";
  RETURN_IF_ERROR(sys::fstatat(AT_FDCWD, root));
  ASSIGN_OR_RETURN(const Nursery* nursery, nursery_of(digest));
  return zygotes_.warm(client, {.name = digest, .directory = root, .nursery = nursery});
}

Result<> Sandboxes::enter(int client, const wire::spawner::EnterContext& request) {
  ASSIGN_OR_RETURN(const auto id, base::SandboxId::parse(request.sandbox.view()));
  const auto found = sandboxes_.find(id);
  if (found == sandboxes_.end()) return base::fail(Code::kNotFound, "no sandbox " + id.text());
  const Sandbox& sandbox = found->second;
  const std::string& name = sandbox.record.root;
  const Nursery* const nursery = nurseries_.find(name);
  // Nobody can enter a sandbox from another nursery than the one that it was born in.
  if (nursery == nullptr || sandbox.record.first_id - nursery->slot >= IdBlocks::kSlotSize) {
    return base::fail(Code::kUnsupported, "sandbox " + id.text() + " was made by an earlier spawner");
  }
  if (!check_digest(name)) return base::fail(Code::kUnsupported, "a build has no zygote");
  return zygotes_.enter(
      client, {.name = name, .directory = paths_.templates + "/" + name + "/root", .nursery = nursery},
      {.sandbox = id,
       .init = sandbox.record.pid,
       .pidfd = sandbox.pidfd.get(),
       .socket = socket_path(paths_, id),
       .stream = request.stream});
}

}  // namespace spawner
