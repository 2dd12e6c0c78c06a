#include "engine/runtime_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace engine {
namespace {

using testing::ElementsAre;

TEST(RuntimeEnvironment, FollowsTheMemoryLimit) {
  EXPECT_THAT(runtime_environment(256 << 20),
              ElementsAre("JAVA_TOOL_OPTIONS=-XX:MaxRAM=268435456 -XX:MaxRAMPercentage=50",
                          "NODE_OPTIONS=--max-old-space-size=128", "GOMEMLIMIT=241591905"));
  EXPECT_THAT(runtime_environment(1 << 30),
              ElementsAre("JAVA_TOOL_OPTIONS=-XX:MaxRAM=1073741824 -XX:MaxRAMPercentage=50",
                          "NODE_OPTIONS=--max-old-space-size=512", "GOMEMLIMIT=966367638"));
}

TEST(RuntimeEnvironment, TheLargestLimitDoesNotOverflow) {
  EXPECT_THAT(runtime_environment(1ULL << 40)[2], "GOMEMLIMIT=989560464993");
}

TEST(Variables, TheLaterOfTwoCountsAndOthersStay) {
  std::vector<std::string> environment{"A=1", "AB=2", "C=3"};
  set_variables(environment, {"A=4", "D=5", "D=6", "no sign"});
  EXPECT_THAT(environment, ElementsAre("AB=2", "C=3", "A=4", "D=6", "no sign"));
}

}  // namespace
}  // namespace engine
