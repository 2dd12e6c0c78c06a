// The flow of output, through init as a whole: who is not read waits, and nobody else does.
#include "tests/support/engine_of_init.h"

namespace init {
namespace {

using base::Cause;
using support::shell;
using support::Story;
using wire::init::Output;

class FlowTest : public support::InitTest {
 protected:
  static wire::init::Start flood(const std::string& script) {
    auto start = shell(script);
    start.output_cap = 1 << 30;
    return start;
  }

  // Reads until init may keep no more of the stream; acknowledges nothing.
  void fill_window(std::uint32_t stream, Story& story) {
    acknowledges_ = false;
    while (seen_[stream].cost < wire::init::kOutputWindow) ASSERT_FALSE(add(next(), story));
  }

  void acknowledge(std::uint32_t stream) {
    acknowledges_ = true;
    seen_[stream].cost = 0;
    send(stream, wire::init::Acknowledge{.number = seen_[stream].number});
  }

  void await_rest(Story& story) {
    while (!add(next(), story)) {
    }
  }

  // Returns when no process with this pid is left.
  void await_death(std::uint32_t stream, std::uint32_t pid) {
    const auto waiter = shell("while kill -0 " + std::to_string(pid) + " 2>/dev/null; do sleep 0.01; done");
    send(stream, waiter);
    EXPECT_EQ(await_end(stream).ended.cause, Cause::kOk);
  }
};

TEST_F(FlowTest, AStreamThatIsNotReadStallsItsOwnProducerAlone) {
  begin();
  Story flooded;
  send(1, flood("exec yes"));
  fill_window(1, flooded);
  EXPECT_LE(flooded.out.size(), wire::init::kOutputWindow + wire::kMaxChunk);
  send(2, shell("echo other"));
  EXPECT_EQ(await_end(2).out, "other\n") << "and nothing more of the first comes";
  acknowledge(1);
  const std::size_t before = flooded.out.size();
  while (flooded.out.size() < before + 2 * wire::init::kOutputWindow) ASSERT_FALSE(add(next(), flooded));
  send(1, wire::init::Signal{.number = SIGKILL});
  await_rest(flooded);
  EXPECT_EQ(flooded.ended.usage.stdout_bytes, flooded.out.size()) << "no byte is lost on the way";
}

TEST_F(FlowTest, TheEndWaitsForAllThatWasWrittenBefore) {
  begin();
  constexpr std::size_t kSize = wire::init::kOutputWindow + 40'000;  // the window and a part of the pipe
  Story story;
  send(1, flood("exec head -c " + std::to_string(kSize) + " /dev/zero"));
  const auto started = std::get<wire::init::Started>(next());
  fill_window(1, story);
  await_death(2, started.pid);
  acknowledge(1);
  await_rest(story);
  EXPECT_EQ(story.out.size(), kSize);
  EXPECT_EQ(story.ended.cause, Cause::kOk);
  EXPECT_EQ(story.ended.usage.stdout_bytes, kSize);
}

TEST_F(FlowTest, AnEngineThatStopsReadingStopsNoDeadline) {
  begin();
  auto start = flood("exec yes");
  start.deadline_ms = 500;
  Story story;
  send(1, start);
  const auto started = std::get<wire::init::Started>(next());
  fill_window(1, story);
  await_death(2, started.pid);
  acknowledge(1);
  await_rest(story);
  EXPECT_EQ(story.ended.cause, Cause::kTimeout);
}

TEST_F(FlowTest, AnAcknowledgementOfWhatNeverWasBreaksTheProtocol) {
  begin();
  send(1, shell("exec sleep 1000"));
  await_start();
  send(1, wire::init::Acknowledge{.number = 1});
  EXPECT_TRUE(std::holds_alternative<wire::init::Failed>(next()));
}

TEST_F(FlowTest, OfAContextWhatWasWrittenFirstIsToldFirstHoweverLateItIsRead) {
  begin();
  constexpr const char* kRuntime = R"(
import os, socket
channel = socket.socket(fileno=int(os.environ['COVE_CHANNEL']))
lines = channel.makefile('rb')
channel.sendall(b'ready 0 0\n')
lines.readline()
number = int(lines.readline().split()[1])
os.write(1, b'x' * 300_000)
channel.sendall(b'event %d 1\ny' % number)
lines.readline()
os.write(1, b'z')
channel.sendall(b'done %d 0\n' % number)
)";
  send(1,
       wire::init::StartContext{
           .argv = {"/usr/bin/python3", "-c", kRuntime}, .environment = {"PATH=/usr/bin:/bin"}, .cwd = "/"});
  await_start();
  ASSERT_TRUE(std::holds_alternative<wire::init::Said>(next()));
  send(1, wire::init::Execute{.number = 1, .output_cap = 1 << 30});
  std::string told;
  acknowledges_ = false;
  while (!told.ends_with("!")) {
    const auto event = next();
    if (const auto* wrote = std::get_if<wire::init::Wrote>(&event)) told += wrote->output.bytes;
    if (const auto* said = std::get_if<wire::init::Said>(&event)) told += said->piece.bytes;
    if (std::holds_alternative<wire::init::Executed>(event)) told += "!";
    if (seen_[1].cost >= wire::init::kOutputWindow) acknowledge(1);
  }
  EXPECT_EQ(told, std::string(300'000, 'x') + "yz!");
}

}  // namespace
}  // namespace init
