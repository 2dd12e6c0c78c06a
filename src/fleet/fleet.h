// fleet: the sandboxes of a server that live right now, on its event loop. Fleet makes them, within bounds,
// and ends them when their time has come; a Sandbox carries contexts, processes and file calls over its one
// connection; a Run keeps what was told until whoever asked comes for it. Knows no HTTP and no SQL.
// Everything runs on the loop's thread; what blocks (the spawner) is called from threads of its own.
#pragma once

#include <variant>

#include "fleet/sandbox.h"

namespace fleet {

// What all sandboxes together may take; 0: no bound but the spawner's own.
struct Ceilings {
  std::size_t sandboxes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t disk_bytes = 0;
};

struct FleetOptions {
  std::string spool_directory;
  Ceilings ceilings;
  std::uint64_t default_disk_bytes = std::uint64_t{1} << 30;  // of a wish that names no size
  Spools::Limits spools;
  Keeping keeping;
  engine::ContextLimits context_limits;
  std::chrono::milliseconds usage_interval = std::chrono::seconds(30);  // how often CPU use is asked for
};

class Fleet {
 public:
  struct Told {
    // Of every sandbox that was created and has ended, once, whoever ended it; end_cause() tells why.
    std::function<void(Sandbox& sandbox)> on_end;
    // Of what the fleet does by itself, and nobody waits for.
    io::TaskGroup::OnFailure on_failure;
  };
  Fleet(io::Loop& loop, Spawner& spawner, FleetOptions options, Told told);
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // kExhausted: it would be one too many. The spawner's own refusals pass through. Never half of one. A task
  // that is cancelled meanwhile has made it all the same: it is in the list.
  io::Task<SandboxPtr> create(Wish wish);
  // kNotFound: none that lives has this id.
  Result<SandboxPtr> find(std::string_view id) const;
  std::vector<SandboxPtr> list() const;
  // What is taken, with what is being made and what is being taken down.
  const Ceilings& taken() const { return taken_; }

  // At once for everybody in it. Returns when its processes are killed, or nothing of it is left. Goes on
  // when the task that waits is cancelled.
  io::Task<> end(SandboxPtr sandbox, EndCause cause,
                 wire::spawner::Until until = wire::spawner::Until::kKilled);
  io::Task<> end_all(EndCause cause);

  struct OneShot {
    std::string language;                              // of a cell
    std::variant<engine::Cell, engine::Command> what;  // a command is taken as it is
  };
  struct Started {
    SandboxPtr sandbox;
    RunPtr run;
  };
  // A sandbox for one run; it is deleted when that has ended, behind the answer.
  io::Task<Started> run_once(Wish wish, OneShot job);

  // Ends what the fleet does by itself, and leaves the sandboxes to whoever comes next. To be waited for
  // before the fleet goes.
  io::Task<> close();

 private:
  class Reservation;

  Result<> admit(const Ceilings& wanted) const;
  io::Task<> keep_time();
  io::Deadline look_at_all();
  static io::Task<> delete_after(Started started);
  static Result<RunPtr> begin(Sandbox& sandbox, OneShot& job);

  io::Loop& loop_;
  Spawner& spawner_;
  const FleetOptions options_;
  const Told told_;
  const std::shared_ptr<Spools> spools_;
  io::Bell clock_bell_;
  std::map<std::string, SandboxPtr, std::less<>> sandboxes_;
  Ceilings taken_;
  io::TaskGroup tasks_;  // last: what is left of them is cancelled first
};

}  // namespace fleet
