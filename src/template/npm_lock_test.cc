#include "template/npm_lock.h"

#include <gmock/gmock.h>

namespace templates {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kIntegrity = "sha512-" + std::string(86, 'A') + "==";
const std::string kHex(128, '0');

// A lock with these entries beside the whole's own.
std::string lock_of(const std::string& entries) {
  return "{\"lockfileVersion\": 3,\n\"packages\": {\n\"\": {\"dependencies\": {\"a\": \"^1\"}},\n" + entries +
         "}}";
}

std::string entry(const std::string& path, const std::string& fields = "") {
  return "\"" + path + "\": {\"version\": \"1.0.0\", \"integrity\": \"" + kIntegrity + "\"" + fields + "}";
}

std::string error_of(const std::string& text) {
  const auto lock = parse_npm_lock(text, "l");
  return lock ? "(parsed)" : lock.error().message;
}

std::vector<std::string> names_of(const std::string& entries) {
  const auto lock = parse_npm_lock(lock_of(entries), "l");
  if (!lock) return {lock.error().message};
  std::vector<std::string> names;
  for (const auto& package : lock->packages) names.push_back(package.name);
  return names;
}

TEST(NpmLock, HoldsVersionsAndHashes) {
  const auto lock = parse_npm_lock(
      lock_of(entry("node_modules/a/node_modules/@s/b", ", \"resolved\": \"x://y/z.tgz\"")), "l");
  ASSERT_TRUE(lock) << lock.error().message;
  ASSERT_EQ(lock->packages.size(), 1U);
  EXPECT_EQ(lock->packages[0].path, "node_modules/a/node_modules/@s/b");
  EXPECT_EQ(lock->packages[0].name, "@s/b");
  EXPECT_EQ(lock->packages[0].version, "1.0.0");
  EXPECT_EQ(lock->packages[0].sha512, kHex);
  EXPECT_THAT(lock->text, Not(HasSubstr("x://y")));
}

TEST(NpmLock, TheNpmInsideIsGivenFilesAndNoAddresses) {
  const auto lock = parse_npm_lock(
      lock_of(entry("node_modules/a", ", \"resolved\": \"x://y/z.tgz\", \"bin\": {\"a\": \"b\"}")), "l");
  ASSERT_TRUE(lock) << lock.error().message;
  const auto inputs = npm_inputs(*lock, {"/in/a-1.0.0.tgz"});
  EXPECT_THAT(inputs.lock, HasSubstr("\"resolved\":\"file:/in/a-1.0.0.tgz\""));
  EXPECT_THAT(inputs.lock, HasSubstr("\"integrity\":\"" + kIntegrity));
  EXPECT_THAT(inputs.lock, HasSubstr("\"bin\""));
  EXPECT_THAT(inputs.lock, Not(HasSubstr("x://y")));
  EXPECT_EQ(inputs.manifest, "{\"private\":true,\"dependencies\":{\"a\":\"^1\"}}");
}

TEST(NpmLock, TakesWhatIsForThisPlatformAndComesInAFileOfItsOwn) {
  EXPECT_THAT(names_of(entry("node_modules/a", ", \"os\": [\"linux\"], \"cpu\": \"x64\"") + "," +
                       entry("node_modules/b", ", \"os\": [\"darwin\"]") + "," +
                       entry("node_modules/c", ", \"cpu\": [\"arm64\"]") + "," +
                       entry("node_modules/d", ", \"os\": [\"!win32\"]") + "," +
                       entry("node_modules/e", ", \"os\": [\"!linux\"]") + "," +
                       entry("node_modules/f", ", \"libc\": [\"musl\"]") + "," +
                       "\"node_modules/g/node_modules/h\": {\"version\": \"1.0.0\", \"inBundle\": true}"),
              ElementsAre("a", "d"));
}

TEST(NpmLock, ErrorsNameTheLine) {
  EXPECT_EQ(error_of(lock_of(entry("node_modules/a") + ",\n\"node_modules/b\": {\"version\": \"1.0.0\"}")),
            "l:5: node_modules/b: no integrity of the kind sha512");
  EXPECT_THAT(error_of("{\"lockfileVersion\": 3,\n\n oops"), HasSubstr("l:3: "));
  EXPECT_THAT(error_of("{\"lockfileVersion\": 2, \"packages\": {}}"), HasSubstr("lockfileVersion 3"));
  EXPECT_THAT(error_of("{\"lockfileVersion\": 3, \"packages\": {}}"), HasSubstr("no packages"));
}

TEST(NpmLock, RefusesWhatNpmWouldObey) {
  for (const std::string path :
       {"node_modules/--x", "node_modules/../x", "node_modules/a/b", "a", "node_modules/",
        "node_modules/.bin", "node_modules/@s", "node_modules/@s/../b", "node_modules/a/node_modules",
        "packages/a", "node_modules/a b"}) {
    EXPECT_NE(error_of(lock_of(entry(path))), "(parsed)") << path;
  }
  for (const std::string version :
       {"latest", "x://y/z.tgz", "file:/etc", "1", "^1.0.0", "1.0.0 --x", "", "git+ssh:1.0", "1.0.0\\n"}) {
    EXPECT_NE(error_of(lock_of("\"node_modules/a\": {\"version\": \"" + version + "\", \"integrity\": \"" +
                               kIntegrity + "\"}")),
              "(parsed)")
        << version;
  }
  EXPECT_NE(error_of(lock_of(entry("node_modules/a", ", \"link\": true"))), "(parsed)");
  EXPECT_NE(error_of(lock_of(entry("node_modules/a", ", \"name\": \"b\""))), "(parsed)");
  EXPECT_NE(error_of(lock_of("\"node_modules/a\": {\"version\": \"1.0.0\", \"integrity\": \"sha1-AAAA\"}")),
            "(parsed)");
  EXPECT_NE(error_of(lock_of("\"node_modules/a\": 7")), "(parsed)");
  for (const std::string bad : {"", "[]", "7", "{}", "{\"lockfileVersion\": 3, \"packages\": []}", "\xff"})
    EXPECT_NE(error_of(bad), "(parsed)") << bad;
  EXPECT_NE(error_of(lock_of(entry("node_modules/a")) + "x"), "(parsed)");
  EXPECT_NE(error_of(std::string(100'000, '[')), "(parsed)");
}

TEST(NpmLock, RefusesTwoPackagesInFilesOfOneName) {
  auto other = entry("node_modules/s-b");
  other.replace(other.find("AAAA"), 4, "BBBB");
  EXPECT_THAT(error_of(lock_of(entry("node_modules/@s/b") + "," + other)),
              HasSubstr("files of the same name"));
  EXPECT_THAT(names_of(entry("node_modules/b") + "," + entry("node_modules/a/node_modules/b")),
              ElementsAre("b", "b"))
      << "one file for both";
}

}  // namespace
}  // namespace templates
