#include "init/launch.h"

#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "tests/support/engine_of_init.h"

namespace init {
namespace {

using base::Cause;
using support::shell;
using wire::init::Started;

// A sandbox that was built ahead: init waits on its leash with a process that is born already.
class BornAheadTest : public support::InitTest {
 protected:
  void begin_ahead(sys::CapMask root_capabilities = 0) {
    ASSERT_OK_AND_ASSIGN(leash_, sys::make_pipe());
    begin_waiting(support::kRoomy, root_capabilities, leash_.read.get());
    while (first_leaf().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    waiting_ = std::stoi(first_leaf());
  }

  // The processes of the first leaf, one per line.
  std::string first_leaf() const {
    return sys::read_file_at(group_.unified.get(), "p1/cgroup.procs").value_or("");
  }

  pid_t await_pid() {
    const auto event = next();
    const auto* started = std::get_if<Started>(&event);
    EXPECT_NE(started, nullptr);
    return started == nullptr ? 0 : static_cast<pid_t>(started->pid);
  }

  sys::Pipe leash_;
  pid_t waiting_ = 0;
};

TEST_F(BornAheadTest, ItBecomesTheFirstProgramAndOnlyThat) {
  begin_ahead();
  meet();
  send(1, shell("echo $$ $PATH; pwd; id -u; cat"));
  EXPECT_EQ(await_pid(), waiting_);
  EXPECT_EQ(await_end(1).out, std::to_string(waiting_) + " /usr/bin:/bin\n/\n1000\n");
  send(2, shell("echo again"));
  EXPECT_NE(await_pid(), waiting_);
  EXPECT_EQ(await_end(2).out, "again\n");
}

TEST_F(BornAheadTest, ItHasTheDescriptorsOfAnyOther) {
  begin_ahead();
  meet();
  // The fourth is the directory that ls reads.
  EXPECT_EQ(tell(shell("exec ls /proc/self/fd")).out, "0\n1\n2\n3\n");
}

TEST_F(BornAheadTest, ItWaitsWithoutPrivilegeAndUnderTheFilter) {
  begin_ahead();
  const std::string path = "/proc/" + std::to_string(waiting_) + "/status";
  std::string status;
  // It settles while it waits.
  while (status.find("Seccomp:\t2") == std::string::npos)
    status = sys::read_file(path).value_or("Seccomp:\t2");
  EXPECT_THAT(status, testing::HasSubstr("Uid:\t1000\t1000\t1000\t1000"));
  EXPECT_THAT(status, testing::HasSubstr("CapPrm:\t0000000000000000"));
  EXPECT_THAT(status, testing::HasSubstr("NoNewPrivs:\t1"));
  struct stat owner{};
  ASSERT_EQ(::stat(("/proc/" + std::to_string(waiting_) + "/environ").c_str(), &owner), 0);
  EXPECT_EQ(owner.st_uid, 0U) << "dumpable: others of its user could read what was init's memory";
}

TEST_F(BornAheadTest, ItTakesInput) {
  begin_ahead();
  meet();
  auto start = shell("cat");
  start.input = wire::init::Stdin::kStream;
  send(1, start);
  send(1, wire::init::Input{.bytes = "hello"});
  send(1, wire::init::Input{});
  EXPECT_EQ(await_end(1).out, "hello");
}

TEST_F(BornAheadTest, ItTellsWhyItCannotBecomeAProgram) {
  begin_ahead();
  meet();
  auto start = shell("");
  start.argv = {"/no/such/program"};
  const auto story = tell(start);
  ASSERT_TRUE(story.failed);
  EXPECT_THAT(story.failed->message, testing::StartsWith("exec(/no/such/program)"));
  EXPECT_EQ(tell(shell("echo fine")).out, "fine\n");
}

TEST_F(BornAheadTest, RootGetsAProcessOfItsOwn) {
  begin_ahead(1);
  meet();
  auto start = shell("id -u");
  start.user = wire::init::User::kRoot;
  send(1, start);
  EXPECT_NE(await_pid(), waiting_);
  EXPECT_EQ(await_end(1).out, "0\n");
  EXPECT_EQ(::kill(waiting_, 0), -1) << "the one that nobody wants has ended";
}

TEST_F(BornAheadTest, MoreThanAnOrderHoldsGoesTheLongWay) {
  begin_ahead();
  meet();
  auto start = shell("echo ${#LONG}");
  start.environment.push_back("LONG=" + std::string(100'000, 'x'));
  send(1, start);
  EXPECT_NE(await_pid(), waiting_);
  EXPECT_EQ(await_end(1).out, "100000\n");
}

TEST_F(BornAheadTest, OneThatDiedIsReplaced) {
  begin_ahead();
  ASSERT_EQ(::kill(waiting_, SIGKILL), 0);
  while (!first_leaf().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  meet();
  const auto story = tell(shell("echo fine"));
  EXPECT_EQ(story.out, "fine\n");
  EXPECT_EQ(story.ended.cause, Cause::kOk);
}

TEST_F(BornAheadTest, ItGoesWhenAContextIsExpectedFromOutside) {
  begin_ahead();
  meet();
  send(1, wire::init::ExpectContext{.environment = {}, .cwd = "/"});
  ASSERT_TRUE(std::holds_alternative<wire::init::Done>(next()));
  while (!first_leaf().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  send(2, shell("echo fine"));
  EXPECT_NE(await_pid(), waiting_);
  EXPECT_EQ(await_end(2).out, "fine\n");
}

TEST_F(BornAheadTest, ItBecomesARuntime) {
  begin_ahead();
  meet();
  const std::string script =
      "seen=$(ls /proc/self/fd); printf 'ready 0 %d\\n%s' ${#seen} \"$seen\" >&$COVE_CHANNEL; cat "
      "<&$COVE_CHANNEL";
  send(1, wire::init::StartContext{
              .argv = {"/bin/sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}, .cwd = "/"});
  EXPECT_EQ(await_pid(), waiting_);
  const auto event = next();
  const auto* said = std::get_if<wire::init::Said>(&event);
  ASSERT_NE(said, nullptr);
  // One is the directory that ls reads, another the channel.
  EXPECT_EQ(said->piece.bytes, "0\n1\n2\n3\n4");
}

}  // namespace
}  // namespace init
