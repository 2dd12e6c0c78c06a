#pragma once

#include <functional>

#include "engine/contexts.h"
#include "engine/language.h"
#include "fleet/end_cause.h"
#include "fleet/idleness.h"
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
  std::shared_ptr<Spools> spools;
  io::TaskGroup& tasks;
  io::Bell& clock_bell;  // a time to live has changed
  engine::ContextLimits context_limits;
  Keeping keeping;
  std::chrono::milliseconds usage_interval;
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
  // It ends, or has ended: nothing can be asked of it any more.
  bool is_ending() const { return is_ending_; }
  // None: it lives, or nobody knows yet.
  const std::optional<EndCause>& end_cause() const { return end_cause_; }

  // Whoever asks anything of it for a caller: it is not idle.
  void touch() { idleness_.touch(io::Clock::now()); }
  // When its time is up; none: never.
  std::optional<Time> expires_at() const;
  // From now on; 0: for ever.
  void set_ttl(std::chrono::milliseconds ttl);
  void set_idle_timeout(std::chrono::milliseconds timeout);

  // Its contexts, to list, find, interrupt, restart and remove; made and used by those below.
  engine::Contexts& contexts();
  Result<engine::ContextId> create_context(const ContextWish& wish);
  // The one that cells of a language run in when they name none, made when it is first asked for.
  Result<engine::ContextId> default_context(std::string_view language);
  bool is_default_context(const engine::ContextId& id) const;

  // Queues a cell. One that names no dialect is in that of its context.
  Result<RunPtr> execute(const engine::ContextId& context, engine::Cell cell);
  // Starts a process. The command is taken as it is: see command().
  Result<RunPtr> start(const engine::Command& command);
  // One with the sandbox's environment, working directory and user.
  engine::Command command(std::vector<std::string> argv) const;
  // Also of those that have ended, as long as they are kept.
  Result<RunPtr> find(const engine::ExecutionId& id);
  // Oldest first.
  const std::vector<RunPtr>& runs();

 private:
  friend class Run;
  friend class FileStream;
  friend class Fleet;
  using OnEnd = std::function<void(Sandbox& sandbox)>;

  Sandbox(const Ground& ground, Wish wish, engine::Sandbox sandbox);
  // Begins the task that carries everything; `on_end` is told once.
  static Result<SandboxPtr> launch(const Ground& ground, Wish wish, engine::Sandbox sandbox, OnEnd on_end);
  static io::Task<> carry(SandboxPtr self);
  static io::Task<> enter(SandboxPtr self, wire::spawner::EnterContext request,
                          std::function<void(Result<>)> told);
  // Everything in it ends as sandbox_ended. No cause: by itself, and the spawner may know why.
  void begin_end(std::optional<EndCause> cause, wire::spawner::Until until);
  static io::Task<> conclude(SandboxPtr self, wire::spawner::Until until);
  // Returns when the spawner has done what it was asked for.
  static io::Task<> await_end(SandboxPtr self);
  void explain_runs(wire::spawner::EndedAs ended_as);

  Result<> check_alive() const;
  // Something was sent, or a deadline may have changed: the task that carries it looks.
  void nudge() { bell_.ring(); }
  // The socket was full: it is to be waited for.
  void nudge_if_unsent() {
    if ((streams_.wanted_events() & POLLOUT) != 0) nudge();
  }
  void keep_time();
  io::Deadline next_deadline() const;
  RunPtr keep(RunPtr run);
  void drop_old_runs();
  Idleness::Activity activity() const;
  // Why it is to end now, if it is.
  std::optional<EndCause> look_at_time(io::Clock::time_point now);
  io::Deadline next_look() const;
  void ask_used();

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
  const Time created_ = std::chrono::system_clock::now();
  Idleness idleness_;
  io::Deadline expires_;
  bool is_ending_ = false;
  bool is_gone_ = false;
  io::Bell gone_bell_;
  std::optional<EndCause> end_cause_;
};

}  // namespace fleet
