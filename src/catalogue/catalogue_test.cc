#include "catalogue/catalogue.h"

#include "catalogue/runtimes.h"
#include "sys/temp_dir.h"
#include "tests/support/result.h"

namespace catalogue {
namespace {

using support::FailsSaying;
using support::FailsWith;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kA(64, 'a');
const std::string kB = "ab" + std::string(62, 'b');

Catalogue example() {
  Catalogue catalogue;
  catalogue.templates.push_back({.names = {"base"},
                                 .digest = kA,
                                 .suite = "trixie",
                                 .created = "2026-01-31T12:00:00Z",
                                 .bytes = 1 << 20,
                                 .runtimes = {{.language = "python", .version = "3.13"}},
                                 .environment = {{"PATH", "/bin"}, {"LANG", "C.UTF-8"}}});
  catalogue.templates.push_back({.names = {"python-3.11", "tools"}, .digest = kB, .suite = "bookworm"});
  return catalogue;
}

TEST(Catalogue, WhatIsWrittenIsRead) {
  ASSERT_OK_AND_ASSIGN(const auto read, parse(to_json(example())));
  EXPECT_EQ(to_json(read), to_json(example()));
  EXPECT_EQ(read.templates.at(0).environment, example().templates.at(0).environment);
  EXPECT_EQ(read.templates.at(0).runtimes.at(0).version, "3.13");
}

TEST(Catalogue, ATemplateIsFoundByAllItsNames) {
  const auto catalogue = example();
  for (const char* reference : {"python-3.11", "Python 3.11", "tools", "abbb"}) {
    ASSERT_OK_AND_ASSIGN(const auto* found, catalogue.resolve(reference));
    EXPECT_EQ(found->digest, kB) << reference;
  }
  for (const char* reference : {"base", "node 20", "bash"}) {
    ASSERT_OK_AND_ASSIGN(const auto* found, catalogue.resolve(reference));
    EXPECT_EQ(found->digest, kA) << reference;
  }
}

TEST(Catalogue, WhatIsNotThereIsToldWhatIs) {
  const auto catalogue = example();
  EXPECT_THAT(catalogue.resolve("ruby"), FailsSaying("there are: base, python-3.11, tools"));
  EXPECT_THAT(catalogue.resolve(""), FailsWith(base::Code::kNotFound));
  EXPECT_THAT(catalogue.resolve("abb"), FailsWith(base::Code::kNotFound)) << "too short for a digest";
  EXPECT_THAT(Catalogue{}.resolve("base"), FailsSaying("none is built yet"));
}

TEST(Catalogue, DamageIsAnError) {
  const auto good = to_json(example());
  EXPECT_THAT(parse(""), FailsWith(base::Code::kInvalid));
  EXPECT_THAT(parse("[]"), FailsWith(base::Code::kInvalid));
  EXPECT_THAT(parse(R"({"version":2,"templates":[]})"), FailsSaying("another version"));
  EXPECT_THAT(parse(good.substr(0, good.size() / 2)), FailsWith(base::Code::kInvalid));
  for (const auto& [from, to] : {std::pair("\"base\"", "\"../x\""), std::pair("\"python\"", "\"cobol\""),
                                 std::pair("\"PATH\"", "\"A=B\""), std::pair("\"bytes\"", "\"sizes\""),
                                 std::pair("1048576", "-1"), std::pair("/home/user", "/etc")}) {
    auto wrong = good;
    wrong.replace(wrong.find(from), std::string_view(from).size(), to);
    EXPECT_THAT(parse(wrong), FailsWith(base::Code::kInvalid)) << to;
  }
  EXPECT_THAT(parse(std::string(kMaxBytes + 1, ' ')), FailsSaying("too long"));
}

TEST(Catalogue, AnAbsentFileIsEmptyAndAChangeIsSeen) {
  ASSERT_OK_AND_ASSIGN(const auto state, sys::TempDir::make());
  ASSERT_OK_AND_ASSIGN(const auto none, read(state.path()));
  EXPECT_THAT(none.templates, IsEmpty());
  const auto before = stamp_of(state.path());
  ASSERT_OK(sys::mkdirat(AT_FDCWD, state / "catalogue", 0700));
  ASSERT_OK(sys::create_file_at(AT_FDCWD, path_of(state.path()), to_json(example())));
  EXPECT_NE(stamp_of(state.path()), before);
  ASSERT_OK_AND_ASSIGN(const auto some, read(state.path()));
  EXPECT_EQ(some.templates.size(), 2U);
}

// A root file system with these files, and directories above them.
void furnish(const sys::TempDir& root, const std::vector<std::pair<std::string, std::string>>& files) {
  for (const auto& [path, text] : files) {
    for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
      ASSERT_OK(sys::mkdir_if_missing(root / path.substr(0, at), 0755));
    ASSERT_OK(sys::create_file_at(AT_FDCWD, root / path, text));
  }
}

std::vector<std::string> told(const std::vector<Runtime>& runtimes) {
  std::vector<std::string> out;
  for (const Runtime& runtime : runtimes) out.push_back(runtime.language + " " + runtime.version);
  return out;
}

TEST(Runtimes, ALanguageNeedsItsInterpreterAndItsRuntime) {
  ASSERT_OK_AND_ASSIGN(const auto root, sys::TempDir::make());
  furnish(root,
          {{"usr/lib/cove/runtimes/python/start.py", ""},
           {"usr/lib/cove/runtimes/bash/start.sh", ""},
           {"usr/bin/python3", ""},
           {"usr/bin/node", ""},
           {"var/lib/dpkg/status", "Package: python3\nVersion: 3.13.5-1\n\nPackage: bash\nVersion: 5.2\n"}});
  ASSERT_OK_AND_ASSIGN(const auto found, runtimes_in(root.path()));
  EXPECT_THAT(told(found), ElementsAre("python 3.13"));
}

TEST(Runtimes, NodeOfNpmGoesBeforeDebians) {
  ASSERT_OK_AND_ASSIGN(const auto root, sys::TempDir::make());
  furnish(root, {{"usr/lib/cove/runtimes/node/start.js", ""},
                 {"usr/bin/node", ""},
                 {"usr/local/lib/npm/n/node/bin/node", ""},
                 {"usr/local/lib/npm/n/node/package.json", R"({"version":"22.11.0"})"},
                 {"usr/local/bin/other", ""}});
  ASSERT_OK(sys::symlinkat("/usr/local/lib/npm/n/node/bin/node", AT_FDCWD, root / "usr/local/bin/node"));
  ASSERT_OK_AND_ASSIGN(const auto found, runtimes_in(root.path()));
  EXPECT_THAT(told(found), ElementsAre("javascript 22.11", "typescript 22.11"));
}

TEST(Runtimes, ALinkOutOfTheTemplateLeadsNowhere) {
  ASSERT_OK_AND_ASSIGN(const auto root, sys::TempDir::make());
  ASSERT_OK_AND_ASSIGN(const auto outside, sys::TempDir::make());
  furnish(outside, {{"bash", ""}});
  furnish(root, {{"usr/lib/cove/runtimes/bash/start.sh", ""}, {"usr/bin/other", ""}});
  ASSERT_OK(sys::symlinkat(outside / "bash", AT_FDCWD, root / "usr/bin/bash"));
  ASSERT_OK_AND_ASSIGN(const auto found, runtimes_in(root.path()));
  EXPECT_THAT(found, IsEmpty());
}

}  // namespace
}  // namespace catalogue
