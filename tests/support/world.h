// One spawner for the tests of a program that needs real sandboxes, in namespaces of their own: nothing is
// left behind. What the attacks are tried in serves here too.
#pragma once

#include <gtest/gtest.h>

#include "tests/attacks/spawner_process.h"
#include "tests/attacks/world.h"
#include "tests/support/result.h"

namespace support {

class World final : public testing::Environment {
 public:
  explicit World(std::string scratch) : scratch_(std::move(scratch)) { current() = this; }
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(spawner_,
                         attacks::SpawnerProcess::start(COVE_BUILD_BIN "/cove-spawner", scratch_ + "/state",
                                                        "workspace_roots = " + scratch_ + "\n"));
  }
  void TearDown() override { EXPECT_OK(spawner_->stop()); }

  static World*& current() {
    static World* world = nullptr;
    return world;
  }
  const std::string& scratch() const { return scratch_; }
  attacks::SpawnerProcess& spawner() { return *spawner_; }

 private:
  std::string scratch_;
  std::optional<attacks::SpawnerProcess> spawner_;
};

inline int run_tests_in_world(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return attacks::run_in_scratch_world([](const std::string& scratch) {
    testing::AddGlobalTestEnvironment(new World(scratch));
    return RUN_ALL_TESTS();
  });
}

}  // namespace support
