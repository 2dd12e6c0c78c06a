// How a context comes into a sandbox without a cold start: by a fork of its template's zygote.
#include "spawner/request_check.h"
#include "spawner/sandboxes.h"
#include "wire/zygote_messages.h"

namespace spawner {

using base::Code;

Result<> Sandboxes::warm(int client, const wire::spawner::Warm& request) {
  const std::string digest(request.digest.view());
  RETURN_IF_ERROR(check_digest(digest));
  const std::string root = paths_.templates + "/" + digest + "/root";
  RETURN_IF_ERROR(sys::fstatat(AT_FDCWD, root));
  ASSIGN_OR_RETURN(const Nursery* nursery, nursery_of(digest));
  return zygotes_.warm(client, origin_of(digest, *nursery));
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
  const Zygotes::Origin origin = origin_of(name, *nursery);
  if (request.unready == wire::spawner::Unready::kRefuse) {
    ASSIGN_OR_RETURN(const bool ready, zygotes_.ready(origin));
    if (!ready) return base::fail(Code::kUnavailable, "the zygote of the template is not ready yet");
  }
  ASSIGN_OR_RETURN(auto to, destination_of(sandbox, socket_path(paths_, id)));
  to.stream = request.stream;
  return zygotes_.enter(client, origin, std::move(to));
}

Zygotes::Origin Sandboxes::origin_of(const std::string& name, const Nursery& nursery) const {
  return {.name = name, .directory = paths_.templates + "/" + name + "/root", .nursery = &nursery};
}

Result<Destination> Sandboxes::destination_of(const Sandbox& sandbox, std::string socket) {
  ASSIGN_OR_RETURN(auto pidfd, sys::lift_fd(sandbox.pidfd.get(), 0));
  return Destination{.sandbox = sandbox.record.id,
                     .init = sandbox.record.pid,
                     .pidfd = std::move(pidfd),
                     .socket = std::move(socket)};
}

Result<> Sandboxes::enter_early(const Ready& ready) {
  const std::string& name = ready.sandbox.record.root;
  const Nursery* const nursery = nurseries_.find(name);
  if (nursery == nullptr) return base::fail(Code::kUnsupported, "its nursery is retired");
  ASSIGN_OR_RETURN(auto to, destination_of(ready.sandbox, ahead_path(paths_, ready.created.id)));
  to.stream = wire::zygote::kEarly;
  return zygotes_.enter(Zygotes::kNobody, origin_of(name, *nursery), std::move(to));
}

}  // namespace spawner
