#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/paths.h"
#include "jail/builder.h"
#include "jail/control.h"
#include "spawner/berths.h"
#include "spawner/disks.h"
#include "spawner/endings.h"
#include "spawner/nurseries.h"
#include "spawner/own_ends.h"
#include "spawner/ready.h"
#include "spawner/records.h"
#include "spawner/zygotes.h"
#include "sys/cgroup.h"
#include "wire/spawner_messages.h"

namespace spawner {

// Makes and ends sandboxes, and keeps the books: which live, in which id blocks, of which template.
// Single-threaded.
class Sandboxes {
 public:
  struct Parts {
    const base::Paths& paths;
    const jail::Materials& materials;
    sys::CgroupTree& cgroups;
    Disks& disks;
    std::vector<std::string> workspace_roots;
    ReadySandboxes::Room ready;  // for whole sandboxes made ahead; none: berths neither
    uid_t client = 0;            // whom sandboxes' sockets belong to: root, or the server's user
    const jail::ControlAuthority* control = nullptr;  // tests only: may weaken a sandbox
  };
  explicit Sandboxes(Parts parts);

  Result<Created> create(const wire::spawner::Create& request);
  // When this returns, no process of the sandbox runs any more; it is gone when `collect_gone` says so.
  // Why it had ended by itself before, when it had; that is remembered for a while.
  Result<EndedAs> destroy(const base::SandboxId& id);
  // Finishes what can be finished of the destroyed ones and gives their ids back. Never waits.
  std::vector<base::SandboxId> collect_gone();
  // Waits until all of them are gone.
  Result<> finish_endings();
  const Endings& endings() const { return endings_; }
  // Moves a template that no sandbox uses out of sight, atomically with respect to create. Returns its trash
  // name.
  Result<std::string> retire_template(const std::string& digest);
  // Errands of a client, which end when `tend_zygotes` says so (enter.cc).
  Result<> warm(int client, const wire::spawner::Warm& request);
  Result<> enter(int client, const wire::spawner::EnterContext& request);
  // Goes on with them; those that are done.
  std::vector<Zygotes::Answer> tend_zygotes();
  const Zygotes& zygotes() const { return zygotes_; }
  // Makes ahead what the next request will need, a piece at a time: whole sandboxes of the kind that came
  // twice running, and berths for the template of the last request.
  bool wants_preparation() const;
  // True when the next request may find nothing made ahead.
  bool is_preparation_urgent() const;
  // In haste, only what the next request cannot do without.
  enum class Haste { kNone, kUrgent };
  void prepare(Haste haste);
  // What hangs up when a sandbox made ahead is complete, or -1; then, or now and then, to be taken care of.
  int preparation_fd() const { return making_ ? making_->building.fd() : -1; }
  void tend_preparation();
  // Gives up what was made ahead and waits until everything destroyed is gone. The living are left alone.
  Result<> wind_down();
  // Takes over what an earlier spawner left: complete sandboxes live on, the rest is killed and goes.
  Result<> reconcile();

  Disks& disks() { return disks_; }
  // A half-made sandbox's pid 1 is our child, and in no book. It may end after its cgroup has become empty,
  // and so it is reaped whenever there is nothing else to do. What is reaped here of a complete one is found
  // by its pidfd all the same.
  static void reap();

  std::size_t alive() const { return sandboxes_.size(); }
  std::size_t nurseries() const { return nurseries_.size(); }
  const std::map<base::SandboxId, Sandbox>& all() const { return sandboxes_; }

 private:
  // The directory that a sound request asks for.
  Result<std::string> root_of(const wire::spawner::Create& request) const;
  // Where a further sandbox disturbs the fewest.
  Result<jail::Machine> machine_for(const wire::spawner::Create& request) const;
  std::uint64_t disk_bytes_of(const wire::spawner::Create& request) const;
  // Retires idle nurseries when all id slots are taken.
  Result<const Nursery*> nursery_of(const std::string& root);
  // Berths are kept ready for one template: that of the last request.
  void look_ahead(const std::string& root);
  void end_all(const std::vector<Remains>& remains);
  // A complete sandbox, not yet in the books.
  enum class Patience { kNone, kSome };
  Result<Ready> make(const wire::spawner::Create& request, Patience patience);
  // The two halves of it: in between, processes of its own are at work.
  Result<Making> begin_making(const wire::spawner::Create& request, Patience patience);
  Result<Ready> finish_making(Making making);
  struct Order {
    const wire::spawner::Create& request;
    const Nursery& nursery;
    Patience patience;
  };
  Result<Making> build_in(Berth& berth, jail::Spec& spec, const Order& order);
  // What is known of it before it is built.
  Ready outline(const jail::Spec& spec, const wire::spawner::Create& request) const;
  // Without room for another disk, patience waits a moment for those that are on their way out.
  Result<Disk> take_disk(const base::SandboxId& id, std::uint64_t bytes, Patience patience);
  void collect();
  // Into the books, and off the leash.
  Result<Created> hand_out(Ready ready);
  void end(Ready ready);
  void end_all(std::vector<Ready> given_up);
  // ahead.cc: one made ahead, or being made, for exactly this.
  std::optional<Ready> take_ready(const wire::spawner::Create& request);
  std::optional<Ready> take_made(const wire::spawner::Create& request);
  const wire::spawner::Create* wanted() const;
  void finish_preparation();
  void keep(Ready ready);
  bool wants_furnishing() const;
  void furnish(Ready ready);
  // Every sandbox that was made ahead, those of one template, and berths as well.
  void give_up_ready();
  void give_up_ready(std::string_view root);
  void give_up_ahead();
  // enter.cc
  Zygotes::Origin origin_of(const std::string& name, const Nursery& nursery) const;
  static Result<Destination> destination_of(const Sandbox& sandbox, std::string socket);
  Result<> enter_early(const Ready& ready);
  Result<jail::Wiring> wire_up(Berth& berth, const jail::Spec& spec, const wire::spawner::Create& request);
  Result<> adopt(Record record);
  // From the kernel's books, which go with the group.
  EndedAs note_own_end(const base::SandboxId& id);

  const base::Paths& paths_;
  const jail::Materials& materials_;
  sys::CgroupTree& cgroups_;
  Disks& disks_;
  const std::vector<std::string> workspace_roots_;
  const jail::ControlAuthority* const control_;
  IdBlocks blocks_;
  Nurseries nurseries_;
  Berths berths_;
  std::string ahead_for_;  // the root that berths are made ahead for
  const bool makes_ahead_;
  ReadySandboxes ready_;
  std::optional<Making> making_;  // to become one of them
  // To become one of them, once a context is in.
  static constexpr std::size_t kMostFurnished = 2;
  std::map<base::SandboxId, Ready> furnishing_;
  Endings endings_;
  Zygotes zygotes_;
  std::vector<base::SandboxId> gone_;  // nobody has been told yet
  OwnEnds own_ends_;
  std::map<base::SandboxId, Sandbox> sandboxes_;
};

}  // namespace spawner
