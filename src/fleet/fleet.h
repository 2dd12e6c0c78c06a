// fleet: the sandboxes of a server that live right now, on its event loop. Fleet makes them, within bounds, and
// ends them when their time has come; a Sandbox carries contexts, processes and file calls over its one
// connection; a Run keeps what was told until whoever asked comes for it. Knows no HTTP and no SQL. Everything
// runs on the loop's thread; what blocks (the spawner) is called from threads of its own.
#pragma once

#include <variant>

#include "fleet/sandbox.h"

namespace fleet {

// How many there may be; 0: no bound but the spawner's own.
struct Ceilings {
  std::size_t sandboxes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t disk_bytes = 0;
};

struct FleetOptions {
  std::string spool_directory;
  Ceilings ceilings;
  Spools::Limits spools;
  Keeping keeping;
  engine::ContextLimits context_limits;
  std::chrono::milliseconds usage_interval = std::chrono::seconds(30);  // how often CPU use is asked for
};

class Fleet {
 public:
  using OnEnd = Sandbox::OnEnd;
  // `on_end` is told of every sandbox that was created and has ended, once, whoever ended it.
  Fleet(io::Loop& loop, Spawner& spawner, FleetOptions options, OnEnd on_end);

  // kExhausted: it would be one too many. The spawner's own refusals pass through. Never half of one.
  io::Task<SandboxPtr> create(Wish wish);
  // kNotFound: none that lives has this id.
  Result<SandboxPtr> find(std::string_view id) const;
  // In no order.
  std::vector<SandboxPtr> list() const;
  struct Sum {
    std::size_t sandboxes = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t disk_bytes = 0;
  };
  // What is taken, with what is being made.
  const Sum& taken() const { return taken_; }

  io::Task<> end(SandboxPtr sandbox, EndCause cause,
                 wire::spawner::Until until = wire::spawner::Until::kKilled);
  io::Task<> end_all(EndCause cause);

  struct OneShot {
    std::string language;                          // of a cell
    std::variant<engine::Cell, engine::Command> what;  // a command is taken as it is
  };
  struct Started {
    SandboxPtr sandbox;
    RunPtr run;
  };
  // A sandbox for one run; it is deleted when the run has ended, behind the answer.
  io::Task<Started> run_once(Wish wish, OneShot job);

  // Ends what the fleet does by itself, and leaves the sandboxes as they are.
  io::Task<> close();

 private:
  Result<> admit(const Wish& wish);
  void release(const Wish& wish);
  io::Task<> keep_time();
  io::Task<> delete_after(Started started);

  io::Loop& loop_;
  Spawner& spawner_;
  const FleetOptions options_;
  OnEnd on_end_;
  Spools spools_;
  io::Bell clock_bell_;
  std::map<std::string, SandboxPtr, std::less<>> sandboxes_;
  Sum taken_;
  io::TaskGroup tasks_;
};

}  // namespace fleet
