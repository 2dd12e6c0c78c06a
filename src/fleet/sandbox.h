#pragma once

#include <functional>

#include "engine/contexts.h"
#include "engine/language.h"
#include "fleet/end_cause.h"
#include "fleet/run.h"
#include "fleet/spawner.h"
#include "io/task_group.h"
#include "io/watch.h"

namespace fleet {

// A sandbox that somebody would like to have.
struct Wish {
  engine::SandboxOptions options;
  // Of everything that runs in it: engine::base_environment, the template's, the caller's.
  std::vector<std::string> environment;
  std::string cwd = "/home/user";
  wire::init::User user = wire::init::User::kUser;
  std::chrono::milliseconds ttl{0};           // 0: for ever
  std::chrono::milliseconds idle_timeout{0};  // 0: never
};

// What is kept of a sandbox's runs after their end; the oldest go first. Those that go on are never dropped.
struct Keeping {
  std::size_t runs = 100;
  std::chrono::milliseconds time = std::chrono::minutes(15);
  std::uint64_t bytes = 128 << 20;
  std::size_t memory = 512 << 10;  // of their logs; then those go to files
};

// What all sandboxes of a fleet have in common. Outlives them.
struct Ground {
  io::Loop& loop;
  Spawner& spawner;
  Spools& spools;
  io::TaskGroup& tasks;
  engine::ContextLimits context_limits;
  Keeping keeping;
};

struct ContextWish {
  std::string language = "python";
  std::optional<std::string> cwd;        // else the sandbox's
  std::vector<std::string> environment;  // in addition; the later of two wins
};

// A live sandbox: its connection, contexts and runs. A task of its own carries what goes in and out; nothing
// here blocks. Ends when it is told to, or by itself when its init goes; then everything that waits on it is
// told. Held by its fleet and by whoever uses it; used on the loop alone.
class Sandbox : public std::enable_shared_from_this<Sandbox> {
 public:
  using Time = std::chrono::system_clock::time_point;

  const std::string& id() const { return sandbox_.id(); }
  const engine::Sandbox& engine() const { return sandbox_; }  // seccomp(), disk_bytes(), setup()
  const Wish& wish() const { return wish_; }
  Time created() const { return created_; }
  // None: it lives.
  const std::optional<EndCause>& end_cause() const { return end_cause_; }

  // Whoever asks anything of it for a caller: it is not idle.
  void touch();
  // When it ends if nothing is changed; none: never.
  std::optional<Time> expires_at() const;
  void set_ttl(std::chrono::milliseconds from_now);
  void set_idle_timeout(std::chrono::milliseconds timeout);

  // Contexts. What is known of one is the engine's (list, find, interrupt, restart, remove).
  engine::Contexts& contexts() { return contexts_; }
  Result<engine::ContextId> create_context(const ContextWish& wish);
  // The one that cells of a language run in when they name none, made when it is first asked for.
  Result<engine::ContextId> default_context(std::string_view language);

  // Queues a cell. Whose language is empty runs in that of its context.
  Result<RunPtr> execute(const engine::ContextId& context, engine::Cell cell);
  // Starts a process; environment, cwd and user of the command are taken as they are (see command()).
  Result<RunPtr> start(const engine::Command& command);
  // One with the sandbox's environment, working directory and user.
  engine::Command command(std::vector<std::string> argv) const;
  Result<RunPtr> find(const engine::ExecutionId& id) const;
  // Oldest first.
  const std::vector<RunPtr>& runs();

  // The parts of it that file calls use: something was sent, and the task that carries it is to look.
  engine::Streams& streams() { return streams_; }
  void nudge() { bell_.ring(); }

  // ---- for Fleet ----
  using OnEnd = std::function<void(Sandbox& sandbox, EndCause cause)>;
  static std::shared_ptr<Sandbox> make(const Ground& ground, Wish wish, engine::Sandbox sandbox);
  // Begins the task that carries everything; `on_end` is told once.
  Result<> launch(OnEnd on_end);
  // Everything in it ends as sandbox_ended at once; returns when its processes are killed (or all is gone).
  // A second call waits for nothing and changes nothing.
  static io::Task<> end(std::shared_ptr<Sandbox> self, EndCause cause, wire::spawner::Until until);
  // Whether something goes on that keeps it from being idle; processes that only live do not.
  bool is_busy() const;
  io::Clock::time_point touched() const { return touched_; }

  Sandbox(const Ground& ground, Wish wish, engine::Sandbox sandbox);

 private:
  friend class Run;
  friend class FileStream;
  io::Task<> carry();
  void drop_old_runs();
  RunPtr keep(RunPtr run);

  const Ground ground_;
  Wish wish_;
  engine::Sandbox sandbox_;
  engine::Streams streams_;
  engine::Contexts contexts_;
  io::Bell bell_;
  std::optional<io::Watch> watch_;
  OnEnd on_end_;
  std::vector<RunPtr> runs_;
  std::map<std::string, engine::ContextId, std::less<>> default_contexts_;
  std::size_t file_calls_ = 0;
  Time created_ = std::chrono::system_clock::now();
  io::Clock::time_point touched_ = io::Clock::now();
  std::optional<io::Clock::time_point> expires_;
  std::optional<EndCause> end_cause_;
};

using SandboxPtr = std::shared_ptr<Sandbox>;

}  // namespace fleet
