#include "base/config.h"

#include <map>

#include "base/config_keys.h"
#include "tests/support/result.h"

namespace base {
namespace {

using support::FailsSaying;
using support::FailsWith;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Config, AnEmptyTextAllowsNothing) {
  ASSERT_OK_AND_ASSIGN(const auto config, parse_config("", "x"));
  EXPECT_THAT(config.workspace_roots, IsEmpty());
}

TEST(Config, AKeyMayBeGivenMoreThanOnce) {
  ASSERT_OK_AND_ASSIGN(const auto config,
                       parse_config("workspace_roots = /home\n\n\tworkspace_roots=/srv/data \r\n", "x"));
  EXPECT_THAT(config.workspace_roots, ElementsAre("/home", "/srv/data"));
}

TEST(Config, CommentsAndTrailingSlashesDoNotCount) {
  ASSERT_OK_AND_ASSIGN(const auto config,
                       parse_config("# all of them\nworkspace_roots = /srv//  # ours\n   # end", "x"));
  EXPECT_THAT(config.workspace_roots, ElementsAre("/srv"));
}

TEST(Config, TheWholeMachineIsSpelledAsOneSlash) {
  ASSERT_OK_AND_ASSIGN(const auto config, parse_config("workspace_roots = ///", "x"));
  EXPECT_THAT(config.workspace_roots, ElementsAre("/"));
}

TEST(Config, AnErrorNamesFileAndLine) {
  EXPECT_THAT(parse_config("# one\n\nworkspace_rots = /x\n", "/etc/cove/cove.conf"),
              FailsSaying("/etc/cove/cove.conf:3: unknown key 'workspace_rots'"));
  EXPECT_THAT(parse_config("workspace_roots /x", "c"), FailsSaying("c:1: expected 'key = value'"));
}

TEST(Config, AnUnknownKeyIsToldTheKnownOnes) {
  EXPECT_THAT(parse_config("x = 1", "c"), FailsSaying("known: listen, "));
}

TEST(Config, ARootThatIsNoAbsoluteDirectoryIsRefused) {
  for (const char* value : {"", "home", "./home", "~", "/home/..", "/home/../etc", "/..", "/../etc"}) {
    EXPECT_THAT(parse_config(std::string("workspace_roots = ") + value, "c"), FailsWith(Code::kInvalid))
        << value;
  }
}

TEST(Config, DisksAreReadWithTheirUnits) {
  ASSERT_OK_AND_ASSIGN(
      const auto config,
      parse_config("disk = loop\ndisk_size = 2G\ndisk_pool = 9\ndisk_reserve = 512M\n", "x"));
  EXPECT_EQ(config.disk.backend, DiskBackend::kLoop);
  EXPECT_EQ(config.disk.default_bytes, std::uint64_t{2} << 30);
  EXPECT_EQ(config.disk.pool, 9U);
  EXPECT_EQ(config.disk.reserve, std::uint64_t{512} << 20);
  for (const char* line :
       {"disk = ramdisk", "disk =", "disk_size = 1k", "disk_size = 2T", "disk_pool = -1", "disk_pool = 5000",
        "ready = -1", "ready = 1000", "disk_pool = 1x", "disk_reserve = much"}) {
    EXPECT_THAT(parse_config(line, "c"), FailsWith(Code::kInvalid)) << line;
  }
}

TEST(Config, TheTableSaysTheDefaultsThatHold) {
  ASSERT_OK_AND_ASSIGN(const auto config, parse_config("", "x"));
  EXPECT_EQ(config, Config{});
  std::string all;
  for (const ConfigKey& key : config_keys()) {
    if (!key.default_text.empty())
      all += std::string(key.name) + " = " + std::string(key.default_text) + "\n";
  }
  ASSERT_OK_AND_ASSIGN(const auto said, parse_config(all, "x"));
  EXPECT_EQ(said, Config{});
}

TEST(Config, AKeyThatIsNearlyRightIsToldTheRightOne) {
  EXPECT_THAT(parse_config("lissten = x", "c"), FailsSaying("did you mean 'listen'?"));
  EXPECT_THAT(parse_config("default_tll = 1h", "c"), FailsSaying("did you mean 'default_ttl'?"));
}

using Variables = std::map<std::string, std::string>;

Result<Settings> resolve(std::string_view file, const Variables& variables, std::vector<std::string> flags) {
  const auto look = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  return resolve_config({.file = file, .file_name = "c", .environment = look, .flags = std::move(flags)});
}

const Setting& setting_of(const Settings& settings, std::string_view key) {
  return *std::ranges::find(settings.all, key, &Setting::key);
}

TEST(Config, TheLastSourceThatGivesAValueWins) {
  const Variables variables = {{"COVE_MAX_TTL", "2d"}, {"COVE_LISTEN", "127.0.0.1:2,127.0.0.1:3"}};
  constexpr std::string_view kFile = "max_ttl = 3d\ndefault_ttl = 2h\nlisten = 127.0.0.1:1\n";
  ASSERT_OK_AND_ASSIGN(const auto settings, resolve(kFile, variables, {"max_ttl=1d"}));
  EXPECT_EQ(settings.config.limits.max_ttl, std::chrono::days(1));
  EXPECT_EQ(settings.config.limits.default_ttl, std::chrono::hours(2));
  EXPECT_THAT(settings.config.server.listen, ElementsAre("127.0.0.1:2", "127.0.0.1:3"));
  EXPECT_EQ(setting_of(settings, "max_ttl").origin, "--set");
  EXPECT_EQ(setting_of(settings, "listen").origin, "COVE_LISTEN");
  EXPECT_EQ(setting_of(settings, "default_ttl").origin, "c:2");
  EXPECT_EQ(setting_of(settings, "ready").source, ConfigSource::kDefault);
}

TEST(Config, AWrongValueIsToldOfEvenWhereAnotherWins) {
  EXPECT_THAT(resolve("max_ttl = ages", {}, {"max_ttl=1d"}), FailsSaying("c:1: max_ttl"));
  EXPECT_THAT(resolve("", {{"COVE_MAX_TTL", "ages"}}, {"max_ttl=1d"}), FailsSaying("COVE_MAX_TTL: max_ttl"));
  EXPECT_THAT(resolve("", {}, {"max_ttl"}), FailsSaying("--set max_ttl: expected"));
}

TEST(Config, WhatAFileCannotSayIsRefusedElsewhereToo) {
  EXPECT_THAT(resolve("", {}, {"workspace_roots=/a#b"}), FailsWith(Code::kInvalid));
  EXPECT_THAT(resolve("", {}, {"server_user=a\nlisten=0.0.0.0:1"}), FailsWith(Code::kInvalid));
  EXPECT_THAT(resolve("", {{"COVE_DISK", "auto\n"}}, {}), FailsWith(Code::kInvalid));
}

TEST(Config, ItsTextMeansTheSame) {
  constexpr std::string_view kFile =
      "workspace_roots = /a\nworkspace_roots = /b c\nallowed_hosts = x.org, y.org\n";
  ASSERT_OK_AND_ASSIGN(const auto settings, resolve(kFile, {{"COVE_LOG_LEVEL", "debug"}},
                                                    {"listen=127.0.0.1:1", "listen=unix:/x/y"}));
  ASSERT_OK_AND_ASSIGN(const auto again, parse_config(settings.text(), "again"));
  EXPECT_EQ(again, settings.config);
  EXPECT_THAT(again.server.listen, ElementsAre("127.0.0.1:1", "unix:/x/y"));
  EXPECT_THAT(again.server.allowed_hosts, ElementsAre("x.org", "y.org"));
}

TEST(Config, OthersReachTheServerOverTlsOnly) {
  EXPECT_THAT(parse_config("listen = 0.0.0.0:7717", "c"), FailsSaying("insecure_listen"));
  EXPECT_THAT(parse_config("listen = 127.0.0.1:1, [::]:7717", "c"),
              FailsSaying("others can reach [::]:7717"));
  EXPECT_OK(parse_config("listen = 0.0.0.0:7717\ninsecure_listen = yes", "c"));
  EXPECT_OK(parse_config("listen = 0.0.0.0:7717\ntls_certificate = /c.pem\ntls_key = /k.pem", "c"));
  EXPECT_OK(parse_config("listen = 127.1.2.3:7717, [::1]:0, localhost:80, unix:/run/x", "c"));
  EXPECT_THAT(parse_config("tls_certificate = /c.pem", "c"), FailsSaying("together"));
  EXPECT_THAT(parse_config("listen =", "c"), FailsSaying("at least one"));
}

TEST(Config, ADefaultGivesWayToACeilingAndAChoiceIsRefused) {
  ASSERT_OK_AND_ASSIGN(const auto config, parse_config("max_ttl = 10m\nmax_timeout = 30s", "c"));
  EXPECT_EQ(config.limits.default_ttl, std::chrono::minutes(10));
  EXPECT_EQ(config.limits.default_idle_timeout, std::chrono::minutes(10));
  EXPECT_EQ(config.limits.default_timeout, std::chrono::seconds(30));
  EXPECT_EQ(config.limits.default_command_timeout, std::chrono::seconds(30));
  EXPECT_THAT(parse_config("max_ttl = 10m\ndefault_ttl = 1h", "c"),
              FailsSaying("default_ttl (1h) is more than"));
}

TEST(Config, ServerValuesOutOfRangeAreRefused) {
  for (const char* line : {"max_ttl = 0s",
                           "max_ttl = 999ms",
                           "max_ttl = 400d",
                           "default_timeout = -1s",
                           "max_sandboxes = many",
                           "server_user = root",
                           "server_user = Bad",
                           "server_user = a b",
                           "log_level = loud",
                           "insecure_listen = true",
                           "allowed_hosts = UPPER",
                           "allowed_hosts = a/b",
                           "preview_domain = .x",
                           "tls_key = key.pem",
                           "listen = 7717",
                           "listen = example.org:80",
                           "listen = 127.0.0.1:99999",
                           "listen = 127.0.0.1:",
                           "listen = ::1:80",
                           "listen = unix:relative",
                           "listen = unix:/",
                           "listen = 1.2.3:4"}) {
    EXPECT_THAT(parse_config(line, "c"), FailsWith(Code::kInvalid)) << line;
  }
}

TEST(Config, TheDocumentationNamesEveryKey) {
  const auto text = config_markdown();
  for (const ConfigKey& key : config_keys())
    EXPECT_NE(text.find("| `" + std::string(key.name) + "` |"), std::string::npos) << key.name;
}

TEST(Config, ANulByteCannotHideTheEndOfAPath) {
  EXPECT_THAT(parse_config(std::string_view("workspace_roots = /home\0/x", 26), "c"),
              FailsWith(Code::kInvalid));
}

}  // namespace
}  // namespace base
