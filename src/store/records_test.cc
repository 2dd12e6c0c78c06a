#include "store/records.h"

#include "tests/support/fresh_store.h"

namespace store {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;

TEST(Records, NamesOfEnumeratorsAreReadBack) {
  for (const auto role : {Role::kRun, Role::kEdit}) EXPECT_EQ(*parse_role(name_of(role)), role);
  for (const auto scope : {Scope::kAdmin, Scope::kTeam, Scope::kReadOnly})
    EXPECT_EQ(*parse_scope(name_of(scope)), scope);
  for (const auto state : {SandboxState::kCreating, SandboxState::kRunning, SandboxState::kEnded}) {
    EXPECT_EQ(*parse_sandbox_state(name_of(state)), state);
  }
  EXPECT_THAT(parse_scope("root"), FailsSaying("admin, team, read_only"));
  EXPECT_THAT(parse_role(""), FailsWith(Code::kInvalid));
}

TEST(Records, NamesAreWhatPeopleCanRead) {
  for (const char* good :
       {"a", "Data Science", "ada@example.com", "Größe 1", "'; DROP TABLE teams; --", "日本"}) {
    EXPECT_OK(check_name(good, "a team"));
  }
  const std::string_view with_zero("a\0b", 3);
  for (const std::string_view bad :
       {std::string_view(""), std::string_view("a\nb"), std::string_view("\x1b[31m"), with_zero,
        std::string_view("a\x7f"), std::string_view("a\xff"), std::string_view("\xc2\x85"),
        std::string_view("a\xe2\x80\xae"), std::string_view("\xed\xa0\x80")}) {
    EXPECT_THAT(check_name(bad, "a team"), FailsWith(Code::kInvalid)) << bad;
  }
}

TEST(Records, LengthIsCountedInCharacters) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "ß";
  EXPECT_OK(check_name(text, "a team"));
  EXPECT_THAT(check_name(text + "a", "a team"), FailsWith(Code::kInvalid));
}

TEST(Records, ARefusalRepeatsNothingThatATerminalObeys) {
  const auto refused = check_name("\x1b]0;x\a" + std::string(1 << 20, 'a'), "a team");
  ASSERT_FALSE(refused);
  EXPECT_LT(refused.error().message.size(), 300U);
  EXPECT_EQ(refused.error().message.find('\x1b'), std::string::npos);
}

TEST(Records, TimesAreWrittenInUtc) {
  EXPECT_EQ(rfc3339(Time(std::chrono::milliseconds(0))), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(Time(std::chrono::milliseconds(1'769'851'800'250))), "2026-01-31T09:30:00.250Z");
}

}  // namespace
}  // namespace store
