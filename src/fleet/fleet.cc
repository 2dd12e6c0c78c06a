#include "fleet/fleet.h"

#include "base/units.h"

namespace fleet {

namespace {

using base::Code;
using wire::spawner::Until;

// A time that has come is noticed this much later at most.
constexpr std::chrono::milliseconds kCoarse{50};

}  // namespace

// Of the ceilings, as long as it lives: from before a sandbox is made until nothing of it counts any more.
class Fleet::Reservation {
 public:
  Reservation(Ceilings& taken, const Ceilings& wanted) : taken_(&taken), wanted_(wanted) {
    taken.sandboxes += wanted.sandboxes;
    taken.memory_bytes += wanted.memory_bytes;
    taken.disk_bytes += wanted.disk_bytes;
  }
  ~Reservation() {
    taken_->sandboxes -= wanted_.sandboxes;
    taken_->memory_bytes -= wanted_.memory_bytes;
    taken_->disk_bytes -= wanted_.disk_bytes;
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

 private:
  Ceilings* taken_;
  const Ceilings wanted_;
};

Fleet::Fleet(io::Loop& loop, Spawner& spawner, FleetOptions options, Told told)
    : loop_(loop),
      spawner_(spawner),
      options_(std::move(options)),
      told_(std::move(told)),
      spools_(std::make_shared<Spools>(options_.spool_directory, options_.spools)),
      clock_bell_(loop),
      tasks_(loop, told_.on_failure) {
  tasks_.spawn("keep time", keep_time());
}

Result<> Fleet::admit(const Ceilings& wanted) const {
  const Ceilings& most = options_.ceilings;
  if (most.sandboxes > 0 && taken_.sandboxes + wanted.sandboxes > most.sandboxes) {
    return base::fail(Code::kExhausted,
                      std::to_string(most.sandboxes) +
                          " sandboxes live, and that is the limit; delete one, or try again later");
  }
  if (most.memory_bytes > 0 && taken_.memory_bytes + wanted.memory_bytes > most.memory_bytes) {
    return base::fail(Code::kExhausted, "of " + base::format_bytes(most.memory_bytes) +
                                            " of memory for sandboxes, " +
                                            base::format_bytes(most.memory_bytes - taken_.memory_bytes) +
                                            " are left; ask for less, delete one, or try again later");
  }
  if (most.disk_bytes > 0 && taken_.disk_bytes + wanted.disk_bytes > most.disk_bytes) {
    return base::fail(Code::kExhausted, "of " + base::format_bytes(most.disk_bytes) +
                                            " of disk for sandboxes, " +
                                            base::format_bytes(most.disk_bytes - taken_.disk_bytes) +
                                            " are left; ask for less, delete one, or try again later");
  }
  return {};
}

io::Task<SandboxPtr> Fleet::create(Wish wish) {
  const std::uint64_t disk =
      wish.options.disk_bytes > 0 ? wish.options.disk_bytes : options_.default_disk_bytes;
  const Ceilings wanted{.sandboxes = 1, .memory_bytes = wish.options.memory_bytes, .disk_bytes = disk};
  CO_RETURN_IF_ERROR(admit(wanted));
  auto reservation = std::make_shared<Reservation>(taken_, wanted);
  CO_ASSIGN_OR_RETURN(auto made, co_await spawner_.create(wish.options));
  // From here on nothing waits: whoever is cancelled now leaves a whole sandbox in the list.
  const std::string id = made.id();
  const Ground ground{.loop = loop_,
                      .spawner = spawner_,
                      .spools = spools_,
                      .tasks = tasks_,
                      .clock_bell = clock_bell_,
                      .context_limits = options_.context_limits,
                      .keeping = options_.keeping,
                      .usage_interval = options_.usage_interval};
  auto on_end = [this, reservation](Sandbox& sandbox) mutable {
    const SandboxPtr kept = sandbox.shared_from_this();
    sandboxes_.erase(sandbox.id());
    reservation.reset();
    told_.on_end(sandbox);
  };
  auto launched = Sandbox::launch(ground, std::move(wish), std::move(made), std::move(on_end));
  if (!launched) {
    (void)co_await spawner_.destroy(id, Until::kKilled);
    co_return std::unexpected(launched.error());
  }
  sandboxes_.emplace(id, *launched);
  clock_bell_.ring();
  co_return *launched;
}

Result<SandboxPtr> Fleet::find(std::string_view id) const {
  const auto found = sandboxes_.find(id);
  if (found != sandboxes_.end() && !found->second->is_ending()) return found->second;
  return base::fail(Code::kNotFound, "there is no live sandbox " + std::string(id));
}

std::vector<SandboxPtr> Fleet::list() const {
  std::vector<SandboxPtr> all;
  for (const auto& [id, sandbox] : sandboxes_) {
    if (!sandbox->is_ending()) all.push_back(sandbox);
  }
  return all;
}

io::Task<> Fleet::end(SandboxPtr sandbox, EndCause cause, Until until) {
  sandbox->begin_end(cause, until);
  return Sandbox::await_end(std::move(sandbox));
}

io::Task<> Fleet::end_all(EndCause cause) {
  const auto all = list();
  for (const SandboxPtr& sandbox : all) sandbox->begin_end(cause, Until::kGone);
  for (const SandboxPtr& sandbox : all) CO_RETURN_IF_ERROR(co_await Sandbox::await_end(sandbox));
  co_return Result<>();
}

io::Task<> Fleet::keep_time() {
  while (true) {
    const auto next = look_at_all();
    const auto woken = co_await clock_bell_.wait(next);
    const bool is_cancelled = !woken && woken.error().code != Code::kTimeout;
    if (is_cancelled) co_return Result<>();
  }
}

io::Deadline Fleet::look_at_all() {
  const auto now = io::Clock::now();
  io::Deadline next;
  for (const SandboxPtr& sandbox : list()) {
    if (const auto cause = sandbox->look_at_time(now)) {
      sandbox->begin_end(cause, Until::kKilled);
      continue;
    }
    const auto due = sandbox->next_look();
    if (due && (!next || *due < *next)) next = due;
  }
  // Many that are due one after another are looked at together.
  if (next) next = std::max(*next, now + kCoarse);
  return next;
}

Result<RunPtr> Fleet::begin(Sandbox& sandbox, OneShot& job) {
  if (const auto* command = std::get_if<engine::Command>(&job.what)) return sandbox.start(*command);
  ASSIGN_OR_RETURN(const auto context, sandbox.default_context(job.language));
  return sandbox.execute(context, std::get<engine::Cell>(std::move(job.what)));
}

io::Task<Fleet::Started> Fleet::run_once(Wish wish, OneShot job) {
  if (std::holds_alternative<engine::Cell>(job.what)) {
    CO_ASSIGN_OR_RETURN(const auto* language, engine::language_by_name(job.language));
    if (language->has_zygote) wish.options.furniture = wire::spawner::Furniture::kPythonContext;
  }
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create(std::move(wish)));
  auto run = begin(*sandbox, job);
  if (!run) {
    sandbox->begin_end(EndCause::kDeleted, Until::kKilled);
    co_return std::unexpected(run.error());
  }
  Started started{.sandbox = sandbox, .run = *run};
  tasks_.spawn("delete after its run: sandbox " + sandbox->id(), delete_after(started));
  co_return started;
}

io::Task<> Fleet::delete_after(Started started) {
  CO_RETURN_IF_ERROR(co_await started.run->wait(std::nullopt));
  started.sandbox->begin_end(EndCause::kDeleted, Until::kKilled);
  co_return Result<>();
}

io::Task<> Fleet::close() { return tasks_.close(); }

}  // namespace fleet
