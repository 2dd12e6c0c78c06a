// A fleet with real sandboxes of the template base.
#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>

#include "fleet/files.h"
#include "fleet/fleet.h"
#include "tests/support/result.h"
#include "tests/support/world.h"

namespace {

using base::Cause;
using base::Code;
using fleet::EndCause;
using fleet::EventKind;
using fleet::RunPtr;
using fleet::SandboxPtr;
using fleet::Wish;
using io::Task;
using std::chrono::milliseconds;
using support::FailsWith;
using support::World;
using testing::ElementsAre;
using testing::HasSubstr;

io::Deadline soon() { return io::Clock::now() + std::chrono::seconds(60); }

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

void fail_test(std::string_view name, const base::Error& error) {
  ADD_FAILURE() << name << ": " << error.message;
}

class LiveSandboxes : public testing::Test {
 protected:
  // Plays a test on the loop, and takes down what it has left.
  void play(Task<> body) {
    io::TaskGroup tasks(loop_, fail_test);
    tasks.spawn("test", finish(std::move(body)));
    loop_.run();
    fleet_.reset();
  }
  Task<> finish(Task<> body) {
    const auto played = co_await std::move(body);
    EXPECT_OK(played);
    const auto ended = co_await fleet_->end_all(EndCause::kDeleted);
    EXPECT_OK(ended);
    const auto closed = co_await fleet_->close();
    EXPECT_OK(closed);
    loop_.stop();
    co_return base::Result<>();
  }
  void make_fleet(fleet::FleetOptions options = {}) {
    options.spool_directory = World::current()->scratch();
    fleet_.emplace(
        loop_, spawner_, std::move(options),
        fleet::Fleet::Told{.on_end =
                               [this](fleet::Sandbox& sandbox) {
                                 ends_.push_back(std::string(name_of(sandbox.end_cause().value())));
                                 end_bell_.ring();
                               },
                           .on_failure = fail_test});
  }
  void SetUp() override { make_fleet(); }

  static Wish wish() {
    Wish wish;
    wish.options.root = World::current()->spawner().base_template();
    wish.environment = engine::base_environment(wire::init::User::kUser, wish.options);
    return wish;
  }
  Task<SandboxPtr> create() { return fleet_->create(wish()); }
  Task<> until_ends(std::size_t count) {
    while (ends_.size() < count) CO_RETURN_IF_ERROR(co_await end_bell_.wait(soon()));
    co_return base::Result<>();
  }

  static Task<std::vector<fleet::Event>> all_events(RunPtr run) {
    std::vector<fleet::Event> all;
    while (true) {
      CO_ASSIGN_OR_RETURN(auto some, co_await run->after(all.size(), 1 << 20, soon()));
      if (some.empty()) co_return all;
      for (auto& event : some) all.push_back(std::move(event));
    }
  }
  static Task<std::string> text_of(RunPtr run) {
    CO_ASSIGN_OR_RETURN(const auto events, co_await all_events(std::move(run)));
    std::string text;
    for (const auto& event : events) {
      if (event.kind == EventKind::kStdout || event.kind == EventKind::kStderr) text += event.bytes;
    }
    co_return text;
  }
  static Task<> until_it_says(RunPtr run, std::string word) {
    std::string text;
    std::uint64_t number = 0;
    while (text.find(word) == std::string::npos) {
      CO_ASSIGN_OR_RETURN(const auto some, co_await run->after(number, 1 << 20, soon()));
      if (some.empty()) co_return base::fail(Code::kInternal, "it ended without " + word + ": " + text);
      for (const auto& event : some) text += event.bytes;
      number = some.back().number;
    }
    co_return base::Result<>();
  }
  static engine::Command shell(const fleet::Sandbox& sandbox, const std::string& script) {
    return sandbox.command({"bash", "-c", script});
  }

  io::Loop loop_;
  fleet::Spawner spawner_{World::current()->spawner().paths(), 4};
  io::Bell end_bell_{loop_};
  std::vector<std::string> ends_;
  std::optional<fleet::Fleet> fleet_;

  // The tests.
  Task<> cells();
  Task<> commands();
  Task<> terminal();
  Task<> flood();
  Task<> many_runs();
  Task<> killed_in_mid_call();
  Task<> cancellations();
  Task<> files();
  Task<> watching();
  Task<> admission();
  Task<> expiry();
  Task<> idleness();
  Task<> one_shots();
  Task<> languages();
};

Task<> LiveSandboxes::cells() {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create());
  CO_ASSIGN_OR_RETURN(const auto context, sandbox->default_context("python"));
  CO_ASSIGN_OR_RETURN(const auto first, sandbox->execute(context, {.code = "x = 6\nprint('hello')"}));
  CO_ASSIGN_OR_RETURN(const auto second, sandbox->execute(context, {.code = "x * 7"}));
  EXPECT_EQ(second->state(), fleet::RunState::kWaiting);
  CO_ASSIGN_OR_RETURN(const auto events, co_await all_events(second));
  std::vector<std::string_view> kinds;
  for (const auto& event : events) kinds.push_back(name_of(event.kind));
  EXPECT_THAT(kinds, ElementsAre("started", "result", "ended"));
  EXPECT_THAT(events.at(1).bytes, HasSubstr("\"text/plain\":\"42\""));
  EXPECT_EQ(second->state(), fleet::RunState::kEnded);
  EXPECT_EQ(second->ending()->outcome.cause, Cause::kOk);
  EXPECT_LE(second->started_at(), second->ended_at());
  CO_ASSIGN_OR_RETURN(const auto text, co_await text_of(first));
  EXPECT_EQ(text, "hello\n") << "kept after its end";
  CO_ASSIGN_OR_RETURN(const auto again, co_await second->after(1, 1, soon()));
  EXPECT_EQ(again.size(), 1U);
  EXPECT_EQ(again.front().number, 2U);
  CO_ASSIGN_OR_RETURN(const auto found, sandbox->find(first->id()));
  EXPECT_EQ(found, first);
  EXPECT_EQ(sandbox->default_context("python").value(), context);
  EXPECT_THAT(sandbox->find(engine::ExecutionId::random()), FailsWith(Code::kNotFound));
  EXPECT_EQ(first->facts().language, "python");
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, CellsKeepTheirStateAndWhatTheyToldIsReadFromAnyEventOn) { play(cells()); }

Task<> LiveSandboxes::languages() {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create());
  for (const auto& [language, code] : {std::pair{"bash", "echo 1"}, std::pair{"node", "console.log(1)"},
                                       std::pair{"ts", "const x: number = 1; console.log(x)"}}) {
    CO_ASSIGN_OR_RETURN(const auto context, sandbox->default_context(language));
    CO_ASSIGN_OR_RETURN(const auto run, sandbox->execute(context, {.code = code}));
    CO_ASSIGN_OR_RETURN(const auto text, co_await text_of(run));
    EXPECT_EQ(text, "1\n") << language;
  }
  EXPECT_THAT(sandbox->default_context("ruby"), FailsWith(Code::kInvalid));
  EXPECT_EQ(sandbox->contexts().list().size(), 3U);
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, EachLanguageHasAContextOfItsOwn) { play(languages()); }

Task<> LiveSandboxes::commands() {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create());
  auto command = shell(*sandbox, "read line; echo got $line; wc -c; echo bad >&2; exit 3");
  command.input = wire::init::Stdin::kStream;
  CO_ASSIGN_OR_RETURN(const auto run, sandbox->start(command));
  CO_RETURN_IF_ERROR(co_await run->input("one\n", soon()));
  CO_RETURN_IF_ERROR(co_await run->input(std::string(1'000'000, 'x'), soon()));
  CO_RETURN_IF_ERROR(run->close_input());
  EXPECT_THAT(run->close_input(), FailsWith(Code::kConflict));
  CO_ASSIGN_OR_RETURN(const auto ending, co_await run->wait(soon()));
  EXPECT_EQ(ending.outcome.exit_code, 3);
  EXPECT_EQ(ending.outcome.cause, Cause::kError);
  CO_ASSIGN_OR_RETURN(const auto text, co_await text_of(run));
  EXPECT_EQ(text, "got one\n1000000\nbad\n");
  EXPECT_THAT(run->signal(SIGTERM), FailsWith(Code::kConflict));
  const auto late = co_await run->input("late", soon());
  EXPECT_THAT(late, FailsWith(Code::kConflict));
  CO_ASSIGN_OR_RETURN(const auto none, sandbox->start(sandbox->command({"/no/such/program"})));
  CO_ASSIGN_OR_RETURN(const auto failed, co_await none->wait(soon()));
  EXPECT_EQ(failed.outcome.exit_code, 127);
  CO_ASSIGN_OR_RETURN(const auto sleeper, sandbox->start(shell(*sandbox, "echo up; sleep 1000")));
  CO_RETURN_IF_ERROR(co_await until_it_says(sleeper, "up"));
  EXPECT_TRUE(sleeper->pid());
  const auto not_yet = co_await sleeper->wait(io::Clock::now());
  EXPECT_THAT(not_yet, FailsWith(Code::kTimeout));
  CO_RETURN_IF_ERROR(sleeper->signal(SIGKILL));
  CO_ASSIGN_OR_RETURN(const auto killed, co_await sleeper->wait(soon()));
  EXPECT_EQ(killed.outcome.signal, SIGKILL);
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, CommandsTakeInputAndSignalsAndTellTheirEnd) { play(commands()); }

Task<> LiveSandboxes::terminal() {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create());
  auto command = shell(
      *sandbox, "trap 'stty size' WINCH; echo ready; while ! read -r line; do :; done; echo \"<$line>\"");
  command.terminal = wire::init::Window{.rows = 24, .columns = 80};
  CO_ASSIGN_OR_RETURN(const auto run, sandbox->start(command));
  CO_RETURN_IF_ERROR(co_await until_it_says(run, "ready"));
  CO_RETURN_IF_ERROR(run->resize({.rows = 50, .columns = 132}));
  CO_RETURN_IF_ERROR(co_await run->input("typed\n", soon()));
  CO_ASSIGN_OR_RETURN(const auto text, co_await text_of(run));
  EXPECT_THAT(text, HasSubstr("50 132"));
  EXPECT_THAT(text, HasSubstr("<typed>"));
  EXPECT_EQ(run->ending()->outcome.cause, Cause::kOk);
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, ATerminalIsTypedIntoAndResized) { play(terminal()); }

Task<> LiveSandboxes::flood() {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create());
  auto command = shell(*sandbox, "head -c 30000000 /dev/zero; echo never seen >&2");
  command.output_cap = 2 << 20;
  CO_ASSIGN_OR_RETURN(const auto flooding, sandbox->start(command));
  CO_ASSIGN_OR_RETURN(const auto quiet, sandbox->start(shell(*sandbox, "echo quick")));
  CO_ASSIGN_OR_RETURN(const auto text, co_await text_of(quiet));
  EXPECT_EQ(text, "quick\n");
  CO_ASSIGN_OR_RETURN(const auto ending, co_await flooding->wait(soon()));
  EXPECT_EQ(ending.outcome.cause, Cause::kOk) << "nobody has read, and nobody was waited for";
  EXPECT_NE(ending.outcome.limits_hit & base::bit(base::Limit::kOutput), 0U);
  EXPECT_GT(ending.outcome.usage.dropped_bytes, 27'000'000U);
  EXPECT_LT(flooding->log().size(), 3U << 20);
  EXPECT_LE(flooding->log().memory(), 64U << 10);
  CO_ASSIGN_OR_RETURN(const auto events, co_await all_events(flooding));
  std::size_t written = 0;
  for (const auto& event : events) written += event.kind == EventKind::kStdout ? event.bytes.size() : 0;
  EXPECT_EQ(written, 2U << 20);
  EXPECT_EQ(events.at(events.size() - 2).kind, EventKind::kNotice) << "it is told that there was more";
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, AFloodThatNobodyReadsStallsNobodyAndIsBounded) { play(flood()); }

Task<> LiveSandboxes::many_runs() {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create());
  std::size_t before = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto command = sandbox->command({"head", "-c", i % 50 == 0 ? "100000" : "10", "/dev/zero"});
    CO_ASSIGN_OR_RETURN(const auto run, sandbox->start(command));
    CO_RETURN_IF_ERROR(co_await run->wait(soon()));
    if (i == 0) before = open_descriptors();
  }
  EXPECT_LE(sandbox->runs().size(), 101U);
  EXPECT_LE(open_descriptors(), before + 3) << "two of a hundred are long enough for a file";
  CO_RETURN_IF_ERROR(co_await fleet_->end(sandbox, EndCause::kDeleted));
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, AThousandRunsLeaveAHundredAndNoDescriptor) { play(many_runs()); }

Task<> count_failure(Task<> waiting, std::vector<Code>& codes, io::Bell& bell) {
  const auto ended = co_await std::move(waiting);
  codes.push_back(ended ? Code::kInvalid : ended.error().code);
  bell.ring();
  co_return base::Result<>();
}
Task<> watch_for_ever(SandboxPtr sandbox) {
  CO_ASSIGN_OR_RETURN(auto watch, fleet::watch(sandbox, {.path = "/home/user"}));
  while (true) CO_RETURN_IF_ERROR(co_await watch.next(soon()));
}
Task<> write_for_ever(SandboxPtr sandbox) {
  CO_ASSIGN_OR_RETURN(auto sink, fleet::write(sandbox, {.path = "/home/user/endless"}));
  while (true) CO_RETURN_IF_ERROR(co_await sink.put(std::string(100, 'x'), soon()));
}
Task<> feed_for_ever(RunPtr run) {
  while (true) CO_RETURN_IF_ERROR(co_await run->input(std::string(100'000, 'x'), soon()));
}

Task<> LiveSandboxes::killed_in_mid_call() {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create());
  CO_ASSIGN_OR_RETURN(const auto context, sandbox->default_context("bash"));
  CO_ASSIGN_OR_RETURN(const auto cell, sandbox->execute(context, {.code = "echo up; sleep 1000"}));
  CO_ASSIGN_OR_RETURN(const auto waiting, sandbox->execute(context, {.code = "echo never"}));
  auto command = shell(*sandbox, "echo up; sleep 1000");
  command.input = wire::init::Stdin::kStream;
  CO_ASSIGN_OR_RETURN(const auto process, sandbox->start(command));
  CO_RETURN_IF_ERROR(co_await until_it_says(cell, "up"));
  CO_RETURN_IF_ERROR(co_await until_it_says(process, "up"));
  io::TaskGroup tasks(loop_, fail_test);
  std::vector<Code> codes;
  tasks.spawn("watch", count_failure(watch_for_ever(sandbox), codes, end_bell_));
  tasks.spawn("write", count_failure(write_for_ever(sandbox), codes, end_bell_));
  tasks.spawn("feed", count_failure(feed_for_ever(process), codes, end_bell_));
  CO_RETURN_IF_ERROR(co_await spawner_.destroy(sandbox->id(), wire::spawner::Until::kKilled));
  for (const RunPtr& run : {cell, waiting, process}) {
    CO_ASSIGN_OR_RETURN(const auto ending, co_await run->wait(soon()));
    EXPECT_EQ(ending.outcome.cause, Cause::kSandboxEnded);
    CO_ASSIGN_OR_RETURN(const auto events, co_await all_events(run));
    EXPECT_EQ(events.back().kind, EventKind::kEnded);
  }
  while (codes.size() < 3) CO_RETURN_IF_ERROR(co_await end_bell_.wait(soon()));
  for (const Code code : codes) EXPECT_TRUE(code == Code::kUnavailable || code == Code::kConflict);
  CO_RETURN_IF_ERROR(co_await until_ends(1));
  EXPECT_THAT(ends_, ElementsAre("failed"));
  EXPECT_THAT(fleet_->find(sandbox->id()), FailsWith(Code::kNotFound));
  EXPECT_THAT(sandbox->start(command), FailsWith(Code::kUnavailable));
  EXPECT_EQ(fleet_->taken().sandboxes, 0U);
  co_return co_await tasks.close();
}
TEST_F(LiveSandboxes, OneThatIsKilledInMidCallEndsEverythingThatWaits) { play(killed_in_mid_call()); }

Task<> LiveSandboxes::cancellations() {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create());
  CO_ASSIGN_OR_RETURN(const auto context, sandbox->default_context("python"));
  const engine::Cell endless{.code = "import time\nprint('up', flush=True)\ntime.sleep(1000)"};
  CO_ASSIGN_OR_RETURN(const auto running, sandbox->execute(context, endless));
  CO_ASSIGN_OR_RETURN(const auto waiting, sandbox->execute(context, endless));
  CO_RETURN_IF_ERROR(co_await until_it_says(running, "up"));
  CO_RETURN_IF_ERROR(waiting->cancel());
  EXPECT_TRUE(waiting->is_over());
  EXPECT_THAT(waiting->cancel(), FailsWith(Code::kConflict));
  CO_RETURN_IF_ERROR(running->cancel());
  CO_RETURN_IF_ERROR(running->cancel());
  CO_ASSIGN_OR_RETURN(const auto ending, co_await running->wait(soon()));
  EXPECT_EQ(ending.outcome.cause, Cause::kCancelled);
  // At once, before it can have started, and stubborn.
  auto command = shell(*sandbox, "trap '' TERM; while :; do sleep 1; done");
  command.grace = milliseconds(50);
  CO_ASSIGN_OR_RETURN(const auto stubborn, sandbox->start(command));
  CO_RETURN_IF_ERROR(stubborn->cancel());
  CO_ASSIGN_OR_RETURN(const auto killed, co_await stubborn->wait(soon()));
  EXPECT_EQ(killed.outcome.cause, Cause::kCancelled);
  for (int i = 0; i < 50; ++i) {
    CO_ASSIGN_OR_RETURN(const auto run, sandbox->start(sandbox->command({"true"})));
    if (i % 2 == 0) CO_RETURN_IF_ERROR(co_await run->after(1, 1, soon()));
    (void)run->cancel();
    CO_ASSIGN_OR_RETURN(const auto end, co_await run->wait(soon()));
    EXPECT_TRUE(end.outcome.cause == Cause::kOk || end.outcome.cause == Cause::kCancelled);
  }
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, WhatIsCancelledEndsWhateverItIsDoing) { play(cancellations()); }

Task<> LiveSandboxes::files() {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create());
  const std::string content(3'000'000, 'z');
  CO_ASSIGN_OR_RETURN(auto sink, fleet::write(sandbox, {.path = "/home/user/big"}));
  CO_RETURN_IF_ERROR(co_await sink.put(content, soon()));
  CO_ASSIGN_OR_RETURN(const auto done, co_await sink.finish(soon()));
  EXPECT_EQ(done.bytes, content.size());
  {
    CO_ASSIGN_OR_RETURN(auto dropped, fleet::write(sandbox, {.path = "/home/user/dropped"}));
    CO_RETURN_IF_ERROR(co_await dropped.put(content, soon()));
  }
  wire::file::Read range{.path = "/home/user/big", .offset = 10, .length = 1'000'000};
  CO_ASSIGN_OR_RETURN(auto source, co_await fleet::read(sandbox, range, soon()));
  EXPECT_EQ(source.entry().size, content.size());
  std::size_t got = 0;
  while (true) {
    CO_ASSIGN_OR_RETURN(const auto piece, co_await source.next(soon()));
    if (piece.empty()) break;
    got += piece.size();
  }
  EXPECT_EQ(got, 1'000'000U);
  wire::file::MakeDirectory directory{.path = "/home/user/a/b"};
  CO_RETURN_IF_ERROR(co_await fleet::change(sandbox, directory, soon()));
  wire::file::Move move{.from = "/home/user/big", .to = "/home/user/a/moved"};
  CO_RETURN_IF_ERROR(co_await fleet::change(sandbox, move, soon()));
  wire::file::Stat stat{.path = "/home/user/a/moved"};
  CO_ASSIGN_OR_RETURN(const auto entry, co_await fleet::stat(sandbox, stat, soon()));
  EXPECT_EQ(entry.size, content.size());
  wire::file::Stat missing{.path = "/home/user/dropped"};
  const auto nothing = co_await fleet::stat(sandbox, missing, soon());
  EXPECT_THAT(nothing, FailsWith(Code::kNotFound));
  CO_ASSIGN_OR_RETURN(auto packed, fleet::pack(sandbox, {.path = "/home/user/a"}));
  std::string archive;
  while (true) {
    CO_ASSIGN_OR_RETURN(const auto piece, co_await packed.next(soon()));
    if (piece.empty()) break;
    archive += piece;
  }
  CO_ASSIGN_OR_RETURN(auto unpacked, fleet::unpack(sandbox, {.path = "/home/user/copy"}));
  CO_RETURN_IF_ERROR(co_await unpacked.put(archive, soon()));
  CO_RETURN_IF_ERROR(co_await unpacked.finish(soon()));
  wire::file::List list{.path = "/home/user/copy", .depth = 2};
  CO_ASSIGN_OR_RETURN(const auto entries, co_await fleet::list(sandbox, list, soon()));
  std::vector<std::string> names;
  for (const auto& one : entries) names.push_back(one.path);
  EXPECT_THAT(names, ElementsAre("b", "moved"));
  // A source that nobody takes anything from is given up at its deadline.
  CO_ASSIGN_OR_RETURN(auto fifo, sandbox->start(sandbox->command({"mkfifo", "/home/user/fifo"})));
  CO_RETURN_IF_ERROR(co_await fifo->wait(soon()));
  wire::file::Read pipe{.path = "/home/user/fifo"};
  const auto stuck = co_await fleet::read(sandbox, pipe, io::Clock::now() + milliseconds(100));
  EXPECT_FALSE(stuck);
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, FilesGoInAndOutAndADroppedOneLeavesNothing) { play(files()); }

Task<> LiveSandboxes::watching() {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await create());
  CO_ASSIGN_OR_RETURN(auto watch, fleet::watch(sandbox, {.path = "/home/user"}));
  CO_ASSIGN_OR_RETURN(const auto first, co_await watch.next(soon()));
  EXPECT_EQ(first.value().change, wire::file::Change::kWatching);
  const auto late = co_await watch.next(io::Clock::now());
  EXPECT_THAT(late, FailsWith(Code::kTimeout));
  CO_ASSIGN_OR_RETURN(const auto run, sandbox->start(sandbox->command({"mkdir", "/home/user/new"})));
  CO_RETURN_IF_ERROR(co_await run->wait(soon()));
  CO_ASSIGN_OR_RETURN(const auto created, co_await watch.next(soon()));
  EXPECT_EQ(created.value().path, "new");
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, AWatchTellsOfChangesAndALateOneMayBeAskedAgain) { play(watching()); }

Task<> LiveSandboxes::admission() {
  make_fleet({.ceilings = {.sandboxes = 2, .memory_bytes = 1ULL << 30}});
  CO_ASSIGN_OR_RETURN(const auto first, co_await create());
  Wish large = wish();
  large.options.memory_bytes = 600ULL << 20;
  const auto too_large = co_await fleet_->create(large);
  EXPECT_THAT(too_large, FailsWith(Code::kExhausted));
  CO_ASSIGN_OR_RETURN(const auto second, co_await create());
  const auto too_many = co_await create();
  EXPECT_THAT(too_many, FailsWith(Code::kExhausted));
  CO_RETURN_IF_ERROR(co_await fleet_->end(second, EndCause::kDeleted));
  CO_RETURN_IF_ERROR(co_await create());
  Wish wrong = wish();
  wrong.options.root = "nothing";
  CO_RETURN_IF_ERROR(co_await fleet_->end(first, EndCause::kPolicy));
  const auto rootless = co_await fleet_->create(wrong);
  EXPECT_FALSE(rootless);
  EXPECT_EQ(fleet_->taken().sandboxes, 1U);
  EXPECT_EQ(fleet_->taken().memory_bytes, 512ULL << 20);
  EXPECT_THAT(ends_, ElementsAre("deleted", "policy"));
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, OneTooManyIsRefusedAndAnEndMakesRoom) { play(admission()); }

Task<> LiveSandboxes::expiry() {
  Wish brief = wish();
  brief.ttl = milliseconds(300);
  CO_ASSIGN_OR_RETURN(const auto expiring, co_await fleet_->create(brief));
  EXPECT_TRUE(expiring->expires_at());
  brief.ttl = std::chrono::hours(1);
  CO_ASSIGN_OR_RETURN(const auto shortened, co_await fleet_->create(brief));
  CO_ASSIGN_OR_RETURN(const auto run, shortened->start(shell(*shortened, "sleep 1000")));
  shortened->set_ttl(milliseconds(600));
  CO_RETURN_IF_ERROR(co_await until_ends(2));
  EXPECT_THAT(ends_, ElementsAre("expired", "expired"));
  CO_ASSIGN_OR_RETURN(const auto ending, co_await run->wait(soon()));
  EXPECT_EQ(ending.outcome.cause, Cause::kSandboxEnded);
  EXPECT_FALSE(expiring->end_cause() != EndCause::kExpired);
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, OneWhoseTimeIsUpEndsAndItsTimeMayBeChanged) { play(expiry()); }

Task<> LiveSandboxes::idleness() {
  Wish restless = wish();
  restless.idle_timeout = milliseconds(600);
  CO_ASSIGN_OR_RETURN(const auto asleep, co_await fleet_->create(restless));
  CO_RETURN_IF_ERROR(asleep->start(shell(*asleep, "sleep 1000")));
  CO_RETURN_IF_ERROR(co_await until_ends(1));
  EXPECT_EQ(asleep->end_cause(), EndCause::kIdle) << "a process that only lives is no reason to stay";
  CO_ASSIGN_OR_RETURN(const auto working, co_await fleet_->create(restless));
  const std::string burn = "end=$((SECONDS + 3)); while [ $SECONDS -lt $end ]; do :; done";
  CO_ASSIGN_OR_RETURN(const auto job, working->start(shell(*working, burn)));
  CO_RETURN_IF_ERROR(co_await until_ends(2));
  EXPECT_TRUE(job->is_over());
  EXPECT_EQ(job->ending()->outcome.cause, Cause::kOk) << "one that works is";
  CO_ASSIGN_OR_RETURN(const auto busy, co_await fleet_->create(restless));
  CO_ASSIGN_OR_RETURN(const auto context, busy->default_context("bash"));
  CO_ASSIGN_OR_RETURN(const auto cell, busy->execute(context, {.code = "sleep 2"}));
  CO_RETURN_IF_ERROR(co_await until_ends(3));
  EXPECT_EQ(cell->ending().value().outcome.cause, Cause::kOk) << "and so is a cell that waits";
  EXPECT_THAT(ends_, ElementsAre("idle", "idle", "idle"));
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, AnIdleOneEndsAndOneThatWorksDoesNot) { play(idleness()); }

Task<> LiveSandboxes::one_shots() {
  fleet::Fleet::OneShot cell{.language = "python", .what = engine::Cell{.code = "print(6 * 7)"}};
  CO_ASSIGN_OR_RETURN(const auto first, co_await fleet_->run_once(wish(), cell));
  CO_ASSIGN_OR_RETURN(const auto text, co_await text_of(first.run));
  EXPECT_EQ(text, "42\n");
  EXPECT_EQ(first.run->ending()->outcome.cause, Cause::kOk);
  const Wish ground = wish();
  engine::Command command{.argv = {"echo", "hi"}, .environment = ground.environment};
  fleet::Fleet::OneShot echo{.what = command};
  CO_ASSIGN_OR_RETURN(const auto second, co_await fleet_->run_once(ground, echo));
  CO_ASSIGN_OR_RETURN(const auto said, co_await text_of(second.run));
  EXPECT_EQ(said, "hi\n");
  CO_RETURN_IF_ERROR(co_await until_ends(2));
  EXPECT_THAT(ends_, ElementsAre("deleted", "deleted"));
  fleet::Fleet::OneShot wrong{.language = "ruby", .what = engine::Cell{}};
  const auto unknown = co_await fleet_->run_once(wish(), wrong);
  EXPECT_THAT(unknown, FailsWith(Code::kInvalid));
  CO_ASSIGN_OR_RETURN(const auto kept, co_await text_of(first.run));
  EXPECT_EQ(kept, "42\n") << "who holds a run may read it when its sandbox is gone";
  co_return base::Result<>();
}
TEST_F(LiveSandboxes, OneRunMayHaveASandboxOfItsOwn) { play(one_shots()); }

}  // namespace

int main(int argc, char** argv) { return support::run_tests_in_world(argc, argv); }
