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

}  // namespace
}  // namespace engine
