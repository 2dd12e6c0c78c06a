#include "supervisor/server_command.h"

#include "supervisor/unit.h"
#include "sys/socket.h"
#include "tests/support/result.h"

namespace supervisor {
namespace {

using support::FailsSaying;
using testing::HasSubstr;

Result<ServerCommand> parse(std::vector<std::string> words) {
  words.insert(words.begin(), "cove-server");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return parse_server_arguments(static_cast<int>(argv.size()), argv.data());
}

TEST(ServerCommand, TheServerUnderstandsWhatTheSupervisorSays) {
  ASSERT_OK_AND_ASSIGN(
      const auto read,
      parse(arguments_of({.state = "/srv/a b", .settings_fd = 3, .ready_fd = 4, .life_fd = 5})));
  EXPECT_EQ(read.state, "/srv/a b");
  EXPECT_EQ(read.settings_fd, 3);
  EXPECT_EQ(read.ready_fd, 4);
  EXPECT_EQ(read.life_fd, 5);
}

TEST(ServerCommand, StartedByHandItSaysWhoStartsIt) {
  EXPECT_THAT(parse({"--state", "/x"}), FailsSaying("`cove serve` starts this program"));
  EXPECT_THAT(parse({}), FailsSaying("--state"));
  EXPECT_THAT(parse({"--state", "x"}), FailsSaying("absolute"));
  EXPECT_THAT(parse({"--state"}), FailsSaying("needs a value"));
  EXPECT_THAT(parse({"--ready-fd", "1"}), FailsSaying("--ready-fd"));
  EXPECT_THAT(parse({"--nonsense", "1"}), FailsSaying("unknown option --nonsense"));
}

TEST(ServerCommand, SettingsArriveAsTheyWere) {
  ASSERT_OK_AND_ASSIGN(const auto settings,
                       base::resolve_config({.flags = {"max_ttl=1d", "listen=127.0.0.1:0"}}));
  ASSERT_OK_AND_ASSIGN(auto file, sys::sealed_memfd("settings", settings.text(), 0444));
  ASSERT_OK_AND_ASSIGN(const auto config, read_settings({.settings_fd = file.release()}));
  EXPECT_EQ(config, settings.config);
}

TEST(ServerCommand, BeingReadyIsOneLineAndTheEnd) {
  ASSERT_OK_AND_ASSIGN(auto pipe, sys::make_pipe());
  ASSERT_OK(tell_ready({.ready_fd = pipe.write.release()}, {"127.0.0.1:80", "unix:/x"}));
  EXPECT_EQ(sys::read_all(pipe.read.get()).value(), "127.0.0.1:80 unix:/x\n");
}

TEST(Unit, WordsOfTheCommandMeanThemselves) {
  const auto unit = systemd_unit({"/opt/a b/cove", "--state", "/srv/100%\"$x\\"});
  EXPECT_THAT(unit, HasSubstr("ExecStart=\"/opt/a b/cove\" \"--state\" \"/srv/100%%\\\"$$x\\\\\"\n"));
}

}  // namespace
}  // namespace supervisor
