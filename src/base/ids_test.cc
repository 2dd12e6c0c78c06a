#include "base/ids.h"

#include <set>

#include "tests/support/result.h"

namespace base {
namespace {

using support::FailsWith;

TEST(SandboxId, ARandomOneParsesBackToItself) {
  for (int i = 0; i < 100; ++i) {
    const SandboxId id = SandboxId::random();
    ASSERT_OK_AND_ASSIGN(const auto again, SandboxId::parse(id.text()));
    EXPECT_EQ(id, again);
  }
}

TEST(SandboxId, NoTwoAreAlike) {
  std::set<SandboxId> seen;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(seen.insert(SandboxId::random()).second);
}

TEST(SandboxId, EveryLetterOfTheAlphabetIsUsed) {
  std::set<char> letters;
  for (int i = 0; i < 200; ++i) {
    for (const char c : SandboxId::random().text()) letters.insert(c);
  }
  EXPECT_EQ(letters.size(), 32U);
}

TEST(SandboxId, NothingThatCouldLeaveADirectoryOrAHostNameIsOne) {
  const std::string_view bad[] = {
      "",
      "abc",
      "abcdefghijkmnpqrs",
      "../../etc/passwd",
      "abcdefgh/jkmnpqr",
      "abcdefgh.jkmnpqr",
      "abcdefgh-jkmnpqr",
      "ABCDEFGHIJKMNPQR",
      "abcdefgh jkmnpqr",
      std::string_view("abcdefgh\0jkmnpqr", 16),
      "abcdefgh\njkmnpqr",
      "\xff\xfe\xfd\xfc\xff\xfe\xfd\xfc\xff\xfe\xfd\xfc\xff\xfe\xfd\xfc",
  };
  for (const auto text : bad) EXPECT_THAT(SandboxId::parse(text), FailsWith(Code::kInvalid)) << text;
}

TEST(RandomHex, HasTwoDigitsPerByteAndNeverRepeats) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string text = random_hex(16);
    EXPECT_EQ(text.size(), 32U);
    EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(seen.insert(text).second);
  }
  EXPECT_EQ(random_hex(0), "");
}

}  // namespace
}  // namespace base
