#include "base/config.h"

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
  EXPECT_THAT(parse_config("x = 1", "c"), FailsSaying("known: workspace_roots"));
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

TEST(Config, ANulByteCannotHideTheEndOfAPath) {
  EXPECT_THAT(parse_config(std::string_view("workspace_roots = /home\0/x", 26), "c"),
              FailsWith(Code::kInvalid));
}

}  // namespace
}  // namespace base
