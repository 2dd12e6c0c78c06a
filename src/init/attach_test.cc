// A sandbox that outlives its engine, through init as a whole: nothing is lost, nothing comes twice.
#include <poll.h>

#include "tests/support/engine_of_init.h"

namespace init {
namespace {

using base::Cause;
using base::Code;
using support::shell;
using support::Story;
using wire::init::Attach;
using wire::init::Found;
using wire::init::Kind;
using wire::init::State;

class AttachTest : public support::InitTest {
 protected:
  void begin_to_stay() {
    begin();
    send(wire::init::kConnection, wire::init::Stay{});
  }

  std::uint32_t start(const wire::init::Start& what) {
    send(++last_, what);
    pid_ = static_cast<pid_t>(std::get<wire::init::Started>(next()).pid);
    return last_;
  }

  Found attach(std::uint32_t stream, std::uint64_t after = 0) {
    send(stream, Attach{.after = after});
    while (true) {
      const auto event = next();
      if (const auto* found = std::get_if<Found>(&event)) return *found;
      if (std::holds_alternative<wire::init::Failed>(event)) return {};
    }
  }

  std::map<std::uint32_t, Found> list() {
    std::map<std::uint32_t, Found> all;
    send(wire::init::kConnection, wire::init::List{});
    while (true) {
      const auto event = next();
      if (std::holds_alternative<wire::init::Done>(event)) return all;
      if (const auto* found = std::get_if<Found>(&event)) all[stream_] = *found;
    }
  }

  // Of the process started last: only a third party can tell without asking init.
  void await_death() const {
    const auto process = sys::pidfd_open(pid_);
    if (!process) return;
    pollfd death{.fd = process->get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&death, 1, 60'000), 1);
  }

  pid_t pid_ = 0;
};

TEST_F(AttachTest, AProcessGoesOnWithoutAnEngineAndItsOutputArrivesOnce) {
  begin_to_stay();
  auto talker = shell("echo before; read x; echo after $x; echo error >&2; exit 3");
  talker.input = wire::init::Stdin::kStream;
  const auto stream = start(talker);
  EXPECT_EQ(std::get<wire::init::Output>(next()).bytes, "before\n");
  send(stream, wire::init::Acknowledge{.number = 1});
  send(stream, wire::init::Input{.bytes = "all\n"});
  engine_.reset();
  await_death();
  meet();
  const Found found = attach(stream);
  EXPECT_EQ(found.state, State::kEnded);
  EXPECT_EQ(found.acknowledged, 1U);
  EXPECT_EQ(found.input_received, 4U);
  std::string out;
  std::string err;
  auto event = next();
  for (; !std::holds_alternative<wire::init::Ended>(event); event = next()) {
    const auto& output = std::get<wire::init::Output>(event);
    if (output.channel == wire::init::Channel::kStdout) EXPECT_EQ(output.offset, 7 + out.size());
    (output.channel == wire::init::Channel::kStdout ? out : err) += output.bytes;
  }
  EXPECT_EQ(out, "after all\n");
  EXPECT_EQ(err, "error\n");
  EXPECT_EQ(std::get<wire::init::Ended>(event).exit_code, 3U);
}

TEST_F(AttachTest, WhatWasSentButNotAcknowledgedIsSentAgain) {
  begin_to_stay();
  const auto stream = start(shell("echo hello; exec sleep 1000"));
  EXPECT_EQ(std::get<wire::init::Output>(next()).bytes, "hello\n");
  meet();
  attach(stream);
  const auto again = std::get<wire::init::Output>(next());
  EXPECT_EQ(again.bytes, "hello\n");
  EXPECT_EQ(again.offset, 0U);
  EXPECT_EQ(attach(stream, 1).acknowledged, 1U);
  send(stream, wire::init::Signal{.number = SIGKILL});
  EXPECT_EQ(await_end(stream).out, "");
}

TEST_F(AttachTest, AnEndIsKeptUntilItIsAcknowledgedAndThenForgotten) {
  begin_to_stay();
  const auto stream = start(shell("exit 7"));
  EXPECT_EQ(await_end(stream).ended.exit_code, 7U);
  for (int i = 0; i < 2; ++i) {
    meet();
    EXPECT_EQ(list()[stream].state, State::kEnded);
    attach(stream);
    EXPECT_EQ(await_end(stream).ended.exit_code, 7U);
  }
  send(stream, wire::init::Acknowledge{.number = 1});
  EXPECT_TRUE(list().empty());
  send(stream, Attach{});
  const auto gone = await_end(stream);
  ASSERT_TRUE(gone.failed);
  EXPECT_EQ(gone.failed->code, static_cast<std::uint32_t>(Code::kNotFound));
}

TEST_F(AttachTest, AListNamesWhatThereIs) {
  begin_to_stay();
  const auto first = start(shell("exec sleep 1000"));
  auto second = shell("exit 0");
  second.argv.push_back(std::string(wire::init::kMaxListedArgument + 1, 'x'));
  start(second);
  await_end(last_);
  const auto all = list();
  ASSERT_EQ(all.size(), 2U);
  const Found& sleeper = all.at(first);
  EXPECT_EQ(sleeper.kind, Kind::kRun);
  EXPECT_EQ(sleeper.state, State::kBusy);
  EXPECT_THAT(sleeper.argv, testing::ElementsAre("/bin/sh", "-c", "exec sleep 1000"));
  EXPECT_GT(sleeper.started_us, 0U);
  EXPECT_EQ(all.at(last_).argv.back().size(), wire::init::kMaxListedArgument) << "a list has bounds";
}

TEST_F(AttachTest, ADeadlineNeedsNoEngine) {
  begin_to_stay();
  auto late = shell("exec sleep 1000");
  late.deadline_ms = 100;
  const auto stream = start(late);
  engine_.reset();
  await_death();
  meet();
  attach(stream);
  EXPECT_EQ(await_end(stream).ended.cause, Cause::kTimeout);
}

TEST_F(AttachTest, AProducerWithoutAnEngineWaitsAndLosesNothing) {
  begin_to_stay();
  auto talker = shell("i=0; while [ $i -lt 60000 ]; do echo $i; i=$((i+1)); done");
  talker.output_cap = 1 << 30;
  const auto stream = start(talker);
  engine_.reset();
  meet();
  attach(stream);
  const Story story = await_end(stream);  // looks at every offset
  EXPECT_EQ(story.ended.cause, Cause::kOk);
  EXPECT_EQ(story.out.size(), story.ended.usage.stdout_bytes);
  EXPECT_TRUE(story.out.ends_with("\n59999\n"));
}

TEST_F(AttachTest, ANewEngineTakesThePlaceOfAHalfOpenOne) {
  begin_to_stay();
  const auto stream = start(shell("exec sleep 1000"));
  const sys::UniqueFd old = std::move(engine_);
  meet();
  char byte = 0;
  EXPECT_EQ(::recv(old.get(), &byte, 1, 0), 0) << "the old one is hung up on";
  EXPECT_EQ(list().at(stream).state, State::kBusy);
}

TEST_F(AttachTest, OneThatBreaksTheProtocolIsHungUpOnAndNobodyElseSuffers) {
  begin_to_stay();
  const auto stream = start(shell("exec sleep 1000"));
  ASSERT_OK(sys::write_all(engine_.get(), std::string(12, '\xff')));
  EXPECT_TRUE(std::holds_alternative<wire::init::Failed>(next()));
  meet();
  EXPECT_EQ(list().at(stream).state, State::kBusy);
}

TEST_F(AttachTest, AContextIsFoundAgainWithItsStateAndWhatItSaid) {
  begin_to_stay();
  constexpr const char* kRuntime = R"(
import os, socket
channel = socket.socket(fileno=int(os.environ['COVE_CHANNEL']))
lines = channel.makefile('rb')
channel.sendall(b'ready 0 0\n')
lines.readline()
while True:
    header = lines.readline().split()
    exec(lines.read(int(header[2])))
    channel.sendall(b'done %d 0\n' % int(header[1]))
)";
  send(++last_,
       wire::init::StartContext{
           .argv = {"/usr/bin/python3", "-c", kRuntime}, .environment = {"PATH=/usr/bin:/bin"}, .cwd = "/"});
  await_start();
  ASSERT_TRUE(std::holds_alternative<wire::init::Said>(next()));
  send(last_, wire::init::Execute{.number = 1, .output_cap = 1000, .payload = "x = 1; os.write(1, b'one')"});
  engine_.reset();
  meet();
  EXPECT_EQ(attach(last_, 1).kind, Kind::kContext);
  EXPECT_EQ(std::get<wire::init::Wrote>(next()).output.bytes, "one");
  EXPECT_EQ(std::get<wire::init::Said>(next()).piece.verb, wire::runtime::Verb::kDone);
  EXPECT_EQ(std::get<wire::init::Executed>(next()).end.cause, Cause::kOk);
  EXPECT_EQ(list().at(last_).state, State::kIdle);
  EXPECT_EQ(list().at(last_).execution, 1U);
  send(last_,
       wire::init::Execute{.number = 2, .output_cap = 1000, .payload = "os.write(1, b'%d' % (x + 1))"});
  EXPECT_EQ(std::get<wire::init::Wrote>(next()).output.bytes, "2");
}

}  // namespace
}  // namespace init
