#include "base/cause.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace base {
namespace {

TEST(Cause, EveryCauseHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(kLastCause); ++i) {
    const auto name = name_of(static_cast<Cause>(i));
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos) << name;
  }
}

TEST(Cause, NamesAreTheOnesThatReceiptsPromise) {
  EXPECT_EQ(name_of(Cause::kOk), "ok");
  EXPECT_EQ(name_of(Cause::kOutOfMemory), "out_of_memory");
  EXPECT_EQ(name_of(Cause::kSandboxEnded), "sandbox_ended");
}

TEST(Limit, EachLimitHasItsOwnBitAndName) {
  std::set<std::string_view> names;
  std::uint32_t seen = 0;
  for (const Limit limit : kAllLimits) {
    EXPECT_TRUE(names.insert(name_of(limit)).second);
    EXPECT_EQ(seen & bit(limit), 0U);
    seen |= bit(limit);
  }
}

}  // namespace
}  // namespace base
