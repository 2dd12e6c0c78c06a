#include "http/router.h"

#include <gtest/gtest.h>

namespace http {
namespace {

using Kind = Router<int>::Match::Kind;
using Segments = std::vector<std::string>;

Router<int> routes() {
  Router<int> router;
  router.add("GET", "/v1/things/{id}", 1);
  router.add("DELETE", "/v1/things/{id}", 2);
  router.add("GET", "/v1/things", 3);
  router.add("POST", "/v1/things/special", 4);
  router.add("PUT", "/v1/things/{id}/files/{path...}", 5);
  router.add("GET", "/v1/things/{id}/ports/{port}/{rest*}", 6);
  router.add("GET", "/", 7);
  return router;
}

TEST(Router, FindsByMethodAndPath) {
  const auto router = routes();
  const auto match = router.match("DELETE", {"v1", "things", "a"});
  ASSERT_EQ(match.kind, Kind::kFound);
  EXPECT_EQ(*match.route, 2);
  EXPECT_EQ(match["id"], "a");
  EXPECT_EQ(match.pattern, "/v1/things/{id}");
  EXPECT_EQ(*router.match("GET", {"v1", "things"}).route, 3);
  EXPECT_EQ(*router.match("GET", {""}).route, 7);
  EXPECT_EQ(*router.match("HEAD", {"v1", "things"}).route, 3);
}

TEST(Router, PrefersWordsToParameters) {
  const auto router = routes();
  EXPECT_EQ(*router.match("POST", {"v1", "things", "special"}).route, 4);
  EXPECT_EQ(*router.match("GET", {"v1", "things", "special"}).route, 1);
}

TEST(Router, TellsWhichMethodsThereAre) {
  const auto match = routes().match("PATCH", {"v1", "things", "a"});
  EXPECT_EQ(match.kind, Kind::kMethodNotAllowed);
  EXPECT_EQ(match.allow, "GET, DELETE");
}

TEST(Router, OddPathsMatchNothing) {
  const auto router = routes();
  for (const Segments& odd :
       {Segments{"v1", "things", ""}, Segments{"v1", "things", ".."}, Segments{"v1", "things", "."},
        Segments{"v1"}, Segments{"", "v1", "things"}, Segments{"v1", "things", "a", "files2"}, Segments{}})
    EXPECT_EQ(router.match("GET", odd).kind, Kind::kNotFound);
}

TEST(Router, ARestIsAPath) {
  const auto router = routes();
  const auto path = [&](Segments rest) {
    Segments segments = {"v1", "things", "a", "files"};
    segments.insert(segments.end(), rest.begin(), rest.end());
    const auto match = router.match("PUT", segments);
    return match.kind == Kind::kFound ? match["path"] : match.kind == Kind::kBadPath ? "BAD" : "NONE";
  };
  EXPECT_EQ(path({}), "");
  EXPECT_EQ(path({"home", "user", "x y"}), "home/user/x y");
  EXPECT_EQ(path({"", "home", ""}), "/home/");
  EXPECT_EQ(path({"a/b"}), "a/b");
  EXPECT_EQ(path({"...", "..a"}), ".../..a");
  for (const Segments& bad :
       {Segments{".."}, Segments{"a", "..", "b"}, Segments{"a/../b"}, Segments{"."}, Segments{"a/.."}})
    EXPECT_EQ(path(bad), "BAD");
  EXPECT_EQ(router.match("GET", {"v1", "things", "a", "ports", "80", "..", "x"})["rest"], "../x");
}

TEST(Router, WrongPatternsAreRefused) {
  for (const auto* wrong : {"", "v1", "/{}", "/{a}/{a}", "/{a...}/b", "/a{b}", "/{a", "/..", "/a*"})
    EXPECT_FALSE(RoutePattern::parse(wrong)) << wrong;
}

}  // namespace
}  // namespace http
