// A process with a terminal, through init as a whole.
#include "tests/support/engine_of_init.h"

namespace init {
namespace {

using base::Cause;
using support::shell;
using support::Story;

class TerminalTest : public support::InitTest {
 protected:
  static wire::init::Start on_terminal(const std::string& script) {
    auto start = shell(script);
    start.input = wire::init::Stdin::kStream;
    start.terminal = wire::init::Window{.rows = 31, .columns = 99};
    return start;
  }

  void await_text(Story& story, const std::string& text) {
    while (!story.out.contains(text)) ASSERT_FALSE(add(next(), story)) << story.out;
  }
};

TEST_F(TerminalTest, AProcessHasATerminalOfItsOwnWithItsSizeAndItsOwner) {
  begin();
  const auto story =
      tell(on_terminal("test -t 0 && test -t 1 && test -t 2 && stty size && stat -c %u $(tty) && echo err "
                       ">&2 && : > /dev/tty"));
  EXPECT_EQ(story.out, "31 99\r\n1000\r\nerr\r\n");
  EXPECT_EQ(story.err, "");
  EXPECT_EQ(story.ended.cause, Cause::kOk);
}

TEST_F(TerminalTest, ItIsTheControllingTerminalOfItsSession) {
  begin();
  Story story;
  send(1, on_terminal("trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.01; done"));
  await_text(story, "ready");
  send(1, wire::init::Input{.bytes = "\x03"});
  while (!add(next(), story)) {
  }
  EXPECT_THAT(story.out, testing::HasSubstr("caught"));
  EXPECT_EQ(story.ended.exit_code, 5U);
}

TEST_F(TerminalTest, ANewSizeIsToldToTheProcess) {
  begin();
  Story story;
  send(1, on_terminal("trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.01; done"));
  await_text(story, "ready");
  send(1, wire::init::Resize{.window = {.rows = 7, .columns = 11}});
  while (!add(next(), story)) {
  }
  EXPECT_THAT(story.out, testing::HasSubstr("7 11\r\n"));
}

TEST_F(TerminalTest, InputIsReadByLinesAndEnds) {
  begin();
  send(1, on_terminal("stty -echo; echo ready; cat; echo end"));
  Story story;
  await_text(story, "ready");
  send(1, wire::init::Input{.bytes = "line\n"});
  await_text(story, "line");
  send(1, wire::init::Input{});
  while (!add(next(), story)) {
  }
  EXPECT_EQ(story.out, "ready\r\nline\r\nend\r\n");
  EXPECT_EQ(story.ended.cause, Cause::kOk);
}

TEST_F(TerminalTest, TheLastWordsAreNotLost) {
  begin();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(tell(on_terminal("printf '%3000d' 7")).out.size(), 3000U);
}

TEST_F(TerminalTest, MuchOutputArrivesWholeAndWaitsForItsReader) {
  begin();
  auto start = on_terminal("stty -opost; head -c 1000000 /dev/zero");
  start.output_cap = 10 << 20;
  EXPECT_EQ(tell(start).out, std::string(1'000'000, '\0'));
}

TEST_F(TerminalTest, ASizeWithoutATerminalMeansNothing) {
  begin();
  send(1, wire::init::Resize{});
  EXPECT_EQ(tell(shell("echo still here")).out, "still here\n");
}

}  // namespace
}  // namespace init
