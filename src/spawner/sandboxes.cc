#include "spawner/sandboxes.h"

#include <poll.h>

#include <set>
#include <utility>

#include "spawner/host.h"
#include "spawner/request_check.h"
#include "spawner/workspace.h"
#include "sys/process.h"
#include "sys/socket.h"

namespace spawner {

namespace {

using base::Code;
using jail::RootKind;

constexpr std::chrono::seconds kLastBreath{10};
constexpr std::chrono::milliseconds kNoTime{0};
constexpr std::chrono::milliseconds kRoomMayCome{2000};
constexpr int kLook = 100;  // milliseconds; what cannot be removed yet has no news of its own

std::string name_of_root(const wire::spawner::Create& request) {
  const std::string root(request.root.view());
  return request.root_kind == RootKind::kBuild ? "build:" + root : root;
}

jail::Spec spec_of(const wire::spawner::Create& request, const Berth& berth) {
  return {.id = berth.id,
          .root_kind = request.root_kind,
          .mode = request.mode,
          .limits = {.memory_bytes = request.memory_bytes,
                     .max_pids = request.max_pids,
                     .cpu_millis = request.cpu_millis},
          .workspace = request.workspace_access,
          .first_id = berth.first_id};
}

}  // namespace

Sandboxes::Sandboxes(Parts parts)
    : paths_(parts.paths),
      materials_(parts.materials),
      cgroups_(parts.cgroups),
      disks_(parts.disks),
      workspace_roots_(std::move(parts.workspace_roots)),
      control_(parts.control),
      blocks_(parts.ready.most != 0 ? IdBlocks::Maps::kKeep : IdBlocks::Maps::kDrop),
      nurseries_(blocks_),
      berths_(paths_, cgroups_, blocks_, parts.client),
      makes_ahead_(parts.ready.most != 0),
      ready_(parts.ready),
      endings_(paths_, cgroups_),
      zygotes_({.paths = paths_, .materials = materials_, .cgroups = cgroups_, .blocks = blocks_}, endings_) {
}

Result<Created> Sandboxes::create(const wire::spawner::Create& request) {
  if (request.weaken != 0 && control_ == nullptr) {
    return base::fail(Code::kDenied, "this spawner weakens no sandbox");
  }
  // A control spawner's sandboxes differ by more than what is asked for.
  if (control_ == nullptr) end_all(ready_.notice(request));
  if (auto ready = take_ready(request)) return hand_out(*std::move(ready));
  ASSIGN_OR_RETURN(auto made, make(request, Patience::kSome));
  return hand_out(std::move(made));
}

Result<Ready> Sandboxes::make(const wire::spawner::Create& request, Patience patience) {
  ASSIGN_OR_RETURN(auto making, begin_making(request, patience));
  return finish_making(std::move(making));
}

Result<Making> Sandboxes::begin_making(const wire::spawner::Create& request, Patience patience) {
  // Before anything is made for it: a nursery stays.
  ASSIGN_OR_RETURN(auto root, root_of(request));
  ASSIGN_OR_RETURN(auto machine, machine_for(request));
  ASSIGN_OR_RETURN(const Nursery* nursery, nursery_of(name_of_root(request)));
  auto berth = berths_.take(*nursery);
  end_all(berths_.take_failures());
  if (!berth) return std::unexpected(std::move(berth).error());
  if (patience == Patience::kSome) {
    look_ahead(makes_ahead_ && request.root_kind == RootKind::kTemplate ? name_of_root(request) : "");
  }
  jail::Spec spec = spec_of(request, *berth);
  spec.root = std::move(root);
  spec.machine = std::move(machine);
  auto made = build_in(*berth, spec, {request, *nursery, patience});
  if (made) return made;
  // It keeps its ids until nothing of it is left.
  endings_.begin({.id = berth->id, .first_id = berth->first_id, .pidfd = {}, .disk = std::move(berth->disk)});
  return std::unexpected(base::with_context("sandbox " + berth->id.text(), std::move(made).error()));
}

Result<Created> Sandboxes::hand_out(Ready ready) {
  const base::SandboxId id = ready.created.id;
  auto in_the_books = ready.is_idle ? cgroups_.set_idle(id.text(), false) : Result<>();
  if (in_the_books) in_the_books = save_record(paths_, ready.sandbox.record);
  if (in_the_books) {
    in_the_books = sys::renameat(AT_FDCWD, ahead_path(paths_, id), AT_FDCWD, socket_path(paths_, id));
  }
  if (!in_the_books) {
    auto error = base::with_context("sandbox " + id.text(), std::move(in_the_books).error());
    end(std::move(ready));
    return std::unexpected(std::move(error));
  }
  sandboxes_.emplace(id, std::move(ready.sandbox));
  return std::move(ready.created);
}

void Sandboxes::end(Ready ready) {
  // Processes that hardly run die slowly.
  if (ready.is_idle) (void)cgroups_.set_idle(ready.created.id.text(), false);
  endings_.begin({.id = ready.created.id,
                  .first_id = ready.sandbox.record.first_id,
                  .pidfd = std::move(ready.sandbox.pidfd),
                  .disk = std::move(ready.sandbox.disk)});
}

void Sandboxes::end_all(std::vector<Ready> given_up) {
  for (Ready& one : given_up) end(std::move(one));
}

void Sandboxes::end_all(const std::vector<Remains>& remains) {
  for (const Remains& one : remains)
    endings_.begin({.id = one.id, .first_id = one.first_id, .pidfd = {}, .disk = {}});
}

Result<> Sandboxes::wind_down() {
  give_up_ahead();
  zygotes_.end_all();
  return finish_endings();
}

Result<const Nursery*> Sandboxes::nursery_of(const std::string& root) {
  auto nursery = nurseries_.of(root);
  if (nursery || nursery.error().code != Code::kExhausted) return nursery;
  std::set<std::string> in_use;
  for (const auto& [id, sandbox] : sandboxes_) in_use.insert(sandbox.record.root);
  // What was made ahead holds a part of a slot that may be given away now.
  give_up_ahead();
  for (const std::string& retired : nurseries_.retire_idle(in_use)) zygotes_.end(retired);
  return nurseries_.of(root);
}

Result<std::string> Sandboxes::root_of(const wire::spawner::Create& request) const {
  RETURN_IF_ERROR(check_limits(request));
  RETURN_IF_ERROR(disks_.check(disk_bytes_of(request), request.memory_bytes));
  ASSIGN_OR_RETURN(auto root, root_directory(request, paths_));
  RETURN_IF_ERROR(sys::fstatat(AT_FDCWD, root));
  return root;
}

std::uint64_t Sandboxes::disk_bytes_of(const wire::spawner::Create& request) const {
  return request.disk_bytes != 0 ? request.disk_bytes : disks_.default_bytes(request.memory_bytes);
}

Result<jail::Machine> Sandboxes::machine_for(const wire::spawner::Create& request) const {
  const jail::Host& host = materials_.host;
  CpuUse use(host.cpus);
  for (const auto& [id, sandbox] : sandboxes_) use.add(sandbox.cpus);
  ready_.for_each([&](const Ready& ready) { use.add(ready.sandbox.cpus); });
  for (const auto& [id, ready] : furnishing_) use.add(ready.sandbox.cpus);
  if (making_) use.add(making_->ready.sandbox.cpus);
  jail::Machine machine{.processor = host.processor, .memory_bytes = request.memory_bytes};
  ASSIGN_OR_RETURN(machine.cpus, use.least_used(jail::whole_cpus(request.cpu_millis)));
  ASSIGN_OR_RETURN(machine.boot_time, boot_time());
  return machine;
}

Result<Making> Sandboxes::build_in(Berth& berth, jail::Spec& spec, const Order& order) {
  const auto& [request, nursery, patience] = order;
  if (control_ != nullptr) control_->weaken(spec, request.weaken);
  auto plan = jail::make_plan(spec);
  ASSIGN_OR_RETURN(auto wiring, wire_up(berth, spec, request));
  wiring.nursery = nursery.user_namespace.get();
  ASSIGN_OR_RETURN(auto leash, sys::make_pipe());
  wiring.leash = std::move(leash.read);
  if (spec.root_kind == RootKind::kTemplate) {
    ASSIGN_OR_RETURN(auto disk, take_disk(spec.id, disk_bytes_of(request), patience));
    wiring.disk = std::move(disk.mount);
    berth.disk = std::move(disk.hold);
  }
  if (patience == Patience::kNone) RETURN_IF_ERROR(cgroups_.set_idle(spec.id.text(), true));
  if (control_ != nullptr) control_->weaken(plan, request.weaken);
  jail::StepHook* const hook = control_ != nullptr ? control_->hook_for(request.weaken) : nullptr;
  ASSIGN_OR_RETURN(auto building, jail::Building::start(plan, wiring, hook));
  Ready ready = outline(spec, request);
  ready.created.seccomp = filter_choice(request, *wiring.materials).hash;
  ready.sandbox.disk = std::move(berth.disk);
  ready.leash = std::move(leash.write);
  ready.is_idle = patience == Patience::kNone;
  return Making{.ready = std::move(ready), .building = std::move(building)};
}

Ready Sandboxes::outline(const jail::Spec& spec, const wire::spawner::Create& request) const {
  return {.sandbox =
              {.record = {.id = spec.id, .first_id = spec.first_id, .pid = 0, .root = name_of_root(request)},
               .pidfd = {},
               .cpus = spec.machine.cpus,
               .disk = {}},
          .created = {.id = spec.id,
                      .socket = socket_path(paths_, spec.id),
                      .seccomp = {},
                      .disk_bytes = disk_bytes_of(request),
                      .steps = {}},
          .leash = {},
          .shape = request};
}

Result<Ready> Sandboxes::finish_making(Making making) {
  auto built = making.building.finish();
  Ready& ready = making.ready;
  if (!built) {
    auto error = base::with_context("sandbox " + ready.created.id.text(), std::move(built).error());
    end(std::move(ready));
    return std::unexpected(std::move(error));
  }
  ready.sandbox.record.pid = built->pid;
  ready.sandbox.pidfd = std::move(built->pidfd);
  ready.created.steps = std::move(built->steps);
  return std::move(ready);
}

Result<jail::Wiring> Sandboxes::wire_up(Berth& berth, const jail::Spec& spec,
                                        const wire::spawner::Create& request) {
  jail::Wiring wiring;
  wiring.materials = control_ != nullptr ? control_->materials_for(request.weaken, materials_) : &materials_;
  ASSIGN_OR_RETURN(wiring.id_map, blocks_.id_map(spec.first_id));
  wiring.process_filter = filter_choice(request, *wiring.materials).filter;
  if (spec.workspace != jail::Access::kNone) {
    const WorkspaceRequest workspace{
        .path = std::string(request.workspace.view()), .access = spec.workspace, .first_id = spec.first_id};
    RETURN_IF_ERROR(open_workspace(workspace, workspace_roots_, wiring));
  }
  RETURN_IF_ERROR(cgroups_.set_limits(berth.id.text(), spec.limits));
  RETURN_IF_ERROR(sys::delegate_group(berth.group.unified.get(), spec.first_id + spec.init_id));
  wiring.group = std::move(berth.group);
  wiring.listener = std::move(berth.listener);
  wiring.network = std::move(berth.network);
  return wiring;
}

Result<Disk> Sandboxes::take_disk(const base::SandboxId& id, std::uint64_t bytes, Patience patience) {
  const auto deadline = Endings::Clock::now() + (patience == Patience::kSome ? kRoomMayCome : kNoTime);
  while (true) {
    auto disk = disks_.take(id, bytes);
    if (disk || disk.error().code != Code::kExhausted || Endings::Clock::now() >= deadline) return disk;
    // What nobody has asked for gives way.
    give_up_ready();
    std::vector<pollfd> news;
    endings_.add_polls(news);
    for (const int fd : disks_.waits()) news.push_back({fd, POLLIN, 0});
    if (news.empty()) return disk;
    (void)::poll(news.data(), news.size(), kLook);
    collect();
    disks_.tend();
  }
}

EndedAs Sandboxes::note_own_end(const base::SandboxId& id) {
  const bool lost = cgroups_.oom_kills(id.text()).value_or(0) != 0;
  const EndedAs end = lost ? EndedAs::kOutOfMemory : EndedAs::kUnknown;
  own_ends_.remember(id, end);
  return end;
}

Result<EndedAs> Sandboxes::destroy(const base::SandboxId& id) {
  if (endings_.contains(id)) return own_ends_.find(id).value_or(EndedAs::kUnknown);
  const auto found = sandboxes_.find(id);
  if (found == sandboxes_.end()) {
    if (const auto end = own_ends_.find(id)) return *end;
    return base::fail(Code::kNotFound, "no sandbox " + id.text());
  }
  Sandbox& sandbox = found->second;
  // One that lives ends because of us, whatever happened in it before.
  const bool by_itself = sys::is_ending(sandbox.record.pid, sandbox.pidfd.get());
  const EndedAs end = by_itself ? note_own_end(id) : EndedAs::kUnknown;
  endings_.begin({.id = id,
                  .first_id = sandbox.record.first_id,
                  .pidfd = std::move(sandbox.pidfd),
                  .disk = std::move(sandbox.disk)});
  sandboxes_.erase(found);
  return end;
}

void Sandboxes::collect() {
  for (Ending& ending : endings_.collect_gone()) {
    if (ending.first_id) blocks_.give_back_block(*ending.first_id);
    disks_.give_back(ending.id, std::move(ending.disk));
    gone_.push_back(ending.id);
  }
}

std::vector<base::SandboxId> Sandboxes::collect_gone() {
  collect();
  return std::exchange(gone_, {});
}

void Sandboxes::reap() {
  while (true) {
    const auto reaped = sys::wait_any();
    if (!reaped || !*reaped) return;
  }
}

Result<> Sandboxes::finish_endings() {
  const auto deadline = Endings::Clock::now() + kLastBreath;
  while (true) {
    (void)collect_gone();
    reap();
    if (endings_.empty()) return {};
    if (Endings::Clock::now() >= deadline) {
      return base::fail(Code::kTimeout, std::to_string(endings_.size()) + " killed sandbox(es) do not end");
    }
    std::vector<pollfd> news;
    endings_.add_polls(news);
    (void)::poll(news.data(), news.size(), kLook);
  }
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
  give_up_ready(digest);
  if (ahead_for_ == digest) look_ahead("");
  zygotes_.end(digest);
  nurseries_.retire(digest);
  return trash;
}

}  // namespace spawner
