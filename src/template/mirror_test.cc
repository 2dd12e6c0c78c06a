#include "template/mirror.h"

#include <gtest/gtest.h>

namespace templates {
namespace {

TEST(Mirror, FollowsTheHostsArchivesWithTheRecipesSuite) {
  const auto sources = parse_index_targets(
      "W: some warning\n"
      "cove-target|Packages|Debian|bookworm|http://a:pw@one.test/debian/\n"
      "cove-target|DEP-11|Debian|bookworm|http://a:pw@one.test/debian/\n"
      "cove-target|Packages|Debian|bookworm|http://a:pw@one.test/debian/\n"
      "cove-target|Packages|Debian|bookworm-security|https://two.test/security/\n"
      "cove-target|Packages|Debian Backports|bookworm-backports|https://two.test/debian/\n"
      "cove-target|Packages|Debian|bookworm-proposed-updates|https://two.test/debian/\n"
      "cove-target|Packages|Other|nodistro|https://three.test/\n",
      "trixie");
  ASSERT_TRUE(sources) << sources.error().message;
  EXPECT_EQ(format_sources(*sources, Credentials::kStrip),
            "Types: deb\nURIs: http://one.test/debian/\nSuites: trixie\nComponents: main\n"
            "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n"
            "Types: deb\nURIs: https://two.test/security/\nSuites: trixie-security\nComponents: main\n"
            "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n");
  EXPECT_TRUE(format_sources(*sources, Credentials::kKeep).contains("a:pw@one.test"));
}

TEST(Mirror, SaysWhatToDoWhenAptKnowsNoArchive) {
  const auto sources = parse_index_targets("cove-target|Packages||bookworm|http://one.test/\n", "trixie");
  ASSERT_FALSE(sources);
  EXPECT_TRUE(sources.error().message.contains("apt-get update"));
  EXPECT_FALSE(parse_index_targets("cove-target|Packages|Debian|bookworm|http://a b/\n", "trixie"));
}

TEST(Mirror, ForwardsHowToFetchAndNeverWhatToTrust) {
  EXPECT_EQ(parse_apt_config("Acquire \"\";\n"
                             "Acquire::http \"\";\n"
                             "Acquire::http::Proxy \"http://p.test:3128\";\n"
                             "Acquire::https::CAInfo \"/etc/ca.pem\";\n"
                             "Acquire::Retries \"3\";\n"
                             "Acquire::AllowInsecureRepositories \"1\";\n"
                             "APT::Get::AllowUnauthenticated \"1\";\n"
                             "Acquire::IndexTargets::deb \"x\";\n"
                             "Acquire::Check-Valid-Until \"false\";\n"),
            "Acquire::http::Proxy \"http://p.test:3128\";\n"
            "Acquire::https::CAInfo \"/etc/ca.pem\";\n"
            "Acquire::Retries \"3\";\n"
            "Acquire::Check-Valid-Until \"false\";\n");
}

}  // namespace
}  // namespace templates
