#include "spawner/own_ends.h"

#include <vector>

#include "tests/support/result.h"

namespace spawner {
namespace {

using base::SandboxId;

TEST(OwnEnds, EachIsToldByItsId) {
  OwnEnds ends;
  const auto one = SandboxId::random();
  const auto two = SandboxId::random();
  ends.remember(one, EndedAs::kOutOfMemory);
  ends.remember(two, EndedAs::kUnknown);
  EXPECT_EQ(ends.find(one), EndedAs::kOutOfMemory);
  EXPECT_EQ(ends.find(two), EndedAs::kUnknown);
  EXPECT_EQ(ends.find(SandboxId::random()), std::nullopt);
}

TEST(OwnEnds, TheLatestReplacesWhatWasKnown) {
  OwnEnds ends;
  const auto id = SandboxId::random();
  ends.remember(id, EndedAs::kUnknown);
  ends.remember(id, EndedAs::kOutOfMemory);
  EXPECT_EQ(ends.find(id), EndedAs::kOutOfMemory);
}

TEST(OwnEnds, TheOldestIsForgottenFirst) {
  OwnEnds ends;
  std::vector<SandboxId> ids;
  for (std::size_t i = 0; i <= OwnEnds::kMost; ++i) {
    ids.push_back(SandboxId::random());
    ends.remember(ids.back(), EndedAs::kUnknown);
  }
  EXPECT_FALSE(ends.find(ids[0]));
  for (std::size_t i = 1; i < ids.size(); ++i) EXPECT_TRUE(ends.find(ids[i]));
}

}  // namespace
}  // namespace spawner
