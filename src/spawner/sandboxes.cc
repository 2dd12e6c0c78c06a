#include "spawner/sandboxes.h"

#include <sys/socket.h>

#include <set>

#include "spawner/request_check.h"
#include "spawner/workspace.h"
#include "sys/process.h"
#include "sys/socket.h"

namespace spawner {

namespace {

using base::Code;
using jail::RootKind;

constexpr std::chrono::seconds kLastBreath{10};

std::string name_of_root(const wire::spawner::Create& request) {
  const std::string root(request.root.view());
  return request.root_kind == RootKind::kBuild ? "build:" + root : root;
}

}  // namespace

Sandboxes::Sandboxes(Parts parts)
    : paths_(parts.paths),
      materials_(parts.materials),
      cgroups_(parts.cgroups),
      workspace_roots_(std::move(parts.workspace_roots)),
      control_(parts.control),
      nurseries_(blocks_) {}

Result<Created> Sandboxes::create(const wire::spawner::Create& request) {
  if (request.weaken != 0 && control_ == nullptr) {
    return base::fail(Code::kDenied, "this spawner weakens no sandbox");
  }
  ASSIGN_OR_RETURN(auto spec, spec_of(request));
  ASSIGN_OR_RETURN(const Nursery* nursery, nursery_of(name_of_root(request)));
  ASSIGN_OR_RETURN(spec.first_id, blocks_.take_block(nursery->slot));
  if (control_ != nullptr) control_->weaken(spec, request.weaken);
  auto created = build_in_group(spec, request, *nursery);
  if (created) return created;
  auto error = base::with_context("sandbox " + spec.id.text(), std::move(created).error());
  // What could not be undone keeps its ids: they are not given to anybody else.
  if (auto gone = erase_traces(spec.id); !gone) {
    error.message += "; and its remains could not be removed: " + gone.error().message;
    return std::unexpected(std::move(error));
  }
  blocks_.give_back_block(spec.first_id);
  return std::unexpected(std::move(error));
}

Result<const Nursery*> Sandboxes::nursery_of(const std::string& root) {
  auto nursery = nurseries_.of(root);
  if (nursery || nursery.error().code != Code::kExhausted) return nursery;
  std::set<std::string> in_use;
  for (const auto& [id, sandbox] : sandboxes_) in_use.insert(sandbox.record.root);
  nurseries_.retire_idle(in_use);
  return nurseries_.of(root);
}

Result<jail::Spec> Sandboxes::spec_of(const wire::spawner::Create& request) const {
  RETURN_IF_ERROR(check_limits(request));
  jail::Spec spec{.id = base::SandboxId::random(), .root_kind = request.root_kind, .mode = request.mode};
  ASSIGN_OR_RETURN(spec.root, root_directory(request, paths_));
  // Before anything is made for it: a nursery stays.
  RETURN_IF_ERROR(sys::fstatat(AT_FDCWD, spec.root));
  spec.limits = {
      .memory_bytes = request.memory_bytes, .max_pids = request.max_pids, .cpu_millis = request.cpu_millis};
  spec.disk_bytes = request.disk_bytes;
  spec.workspace = request.workspace_access;
  return spec;
}

Result<Created> Sandboxes::build_in_group(const jail::Spec& spec, const wire::spawner::Create& request,
                                          const Nursery& nursery) {
  auto plan = jail::make_plan(spec);
  ASSIGN_OR_RETURN(auto wiring, wire_up(spec, request, nursery));
  if (control_ != nullptr) control_->weaken(plan, request.weaken);
  jail::StepHook* const hook = control_ != nullptr ? control_->hook_for(request.weaken) : nullptr;
  ASSIGN_OR_RETURN(auto built, jail::build(plan, wiring, hook));
  Record record{.id = spec.id, .first_id = spec.first_id, .pid = built.pid, .root = name_of_root(request)};
  RETURN_IF_ERROR(save_record(paths_, record));
  sandboxes_.emplace(spec.id, Sandbox{.record = std::move(record), .pidfd = std::move(built.pidfd)});
  Created created{.id = spec.id, .socket = socket_path(paths_, spec.id), .steps = std::move(built.steps)};
  created.seccomp = filter_choice(request, *wiring.materials).hash;
  return created;
}

Result<jail::Wiring> Sandboxes::wire_up(const jail::Spec& spec, const wire::spawner::Create& request,
                                        const Nursery& nursery) {
  jail::Wiring wiring;
  wiring.materials = control_ != nullptr ? control_->materials_for(request.weaken, materials_) : &materials_;
  wiring.nursery = nursery.user_namespace.get();
  ASSIGN_OR_RETURN(wiring.id_map, blocks_.id_map(spec.first_id));
  wiring.process_filter = filter_choice(request, *wiring.materials).filter;
  if (spec.workspace != jail::Access::kNone) {
    const WorkspaceRequest workspace{
        .path = std::string(request.workspace.view()), .access = spec.workspace, .first_id = spec.first_id};
    RETURN_IF_ERROR(open_workspace(workspace, workspace_roots_, wiring));
  }
  const uid_t init = spec.first_id + spec.init_id;
  ASSIGN_OR_RETURN(wiring.group, cgroups_.create(spec.id.text(), spec.limits, init));
  ASSIGN_OR_RETURN(wiring.listener, sys::listen_unix(socket_path(paths_, spec.id), SOCK_STREAM));
  return wiring;
}

Result<> Sandboxes::destroy(const base::SandboxId& id) {
  const auto found = sandboxes_.find(id);
  if (found == sandboxes_.end()) return base::fail(Code::kNotFound, "no sandbox " + id.text());
  RETURN_IF_ERROR(erase_traces(id));
  blocks_.give_back_block(found->second.record.first_id);
  // Reap it if it is our child; one that an earlier spawner made belongs to the machine's init.
  (void)sys::wait_pidfd(found->second.pidfd.get());
  sandboxes_.erase(found);
  return {};
}

void Sandboxes::reap() {
  while (true) {
    const auto reaped = sys::wait_any();
    if (!reaped || !*reaped) return;
  }
}

Result<> Sandboxes::erase_traces(const base::SandboxId& id) {
  const std::string& name = id.text();
  if (auto killed = cgroups_.kill_all(name); killed) {
    RETURN_IF_ERROR(cgroups_.wait_empty(name, kLastBreath));
  } else if (killed.error().code != Code::kNotFound) {
    return killed;
  }
  RETURN_IF_ERROR(cgroups_.remove(name));
  auto socket_gone = sys::unlinkat(AT_FDCWD, socket_path(paths_, id));
  if (!socket_gone && socket_gone.error().code != Code::kNotFound) return socket_gone;
  return remove_record(paths_, id);
}

Result<std::string> Sandboxes::retire_template(const std::string& digest) {
  RETURN_IF_ERROR(check_digest(digest));
  std::size_t users = 0;
  for (const auto& [id, sandbox] : sandboxes_) users += sandbox.record.root == digest ? 1 : 0;
  if (users != 0) {
    return base::fail(Code::kConflict, "template " + digest.substr(0, 12) + " is in use by " +
                                           std::to_string(users) + " sandbox(es); end them first");
  }
  std::string trash = "trash." + base::random_hex(8);
  RETURN_IF_ERROR(
      sys::renameat(AT_FDCWD, paths_.templates + "/" + digest, AT_FDCWD, paths_.builds + "/" + trash));
  nurseries_.retire(digest);
  return trash;
}

}  // namespace spawner
