#include <gtest/gtest.h>

#include "tests/attacks/lab.h"
#include "tests/attacks/world.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // The list of tests needs no world, and no root.
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  return attacks::run_in_scratch_world([](const std::string& scratch) {
    testing::AddGlobalTestEnvironment(new attacks::Lab(scratch));
    return RUN_ALL_TESTS();
  });
}
