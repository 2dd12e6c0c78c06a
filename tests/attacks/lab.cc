#include "tests/attacks/lab.h"

#include <cstdlib>

#include "tests/attacks/own_template.h"
#include "tests/attacks/world.h"

namespace attacks {

namespace {

Lab*& current_lab() {
  static Lab* lab = nullptr;
  return lab;
}

std::string program_of_build(const std::string& name) {
  const char* const given = std::getenv("COVE_TEST_BIN");
  return std::string(given != nullptr ? given : COVE_BUILD_BIN) + "/" + name;
}

}  // namespace

Lab& Lab::current() { return *current_lab(); }

void Lab::SetUp() {
  current_lab() = this;
  ASSERT_EQ(::setenv("COVE_ATTACKS_CANARY", canary_.c_str(), 1), 0);
  auto product = SpawnerProcess::start(program_of_build("cove-spawner"), scratch_ + kProductState);
  ASSERT_TRUE(product) << product.error().message;
  product_.emplace(*std::move(product));
  auto control = SpawnerProcess::start(program_of_build("control-spawner"), scratch_ + kControlState);
  ASSERT_TRUE(control) << control.error().message;
  control_.emplace(*std::move(control));
}

void Lab::TearDown() {
  for (auto* spawner : {&product_, &control_}) {
    if (!spawner->has_value()) continue;
    const auto stopped = (*spawner)->stop();
    EXPECT_TRUE(stopped) << stopped.error().message;
  }
  if (!product_) return;
  const std::string& digest = product_->base_template();
  expect_intact(product_->paths().templates + "/" + digest, digest);
}

std::uint32_t bits(Weaknesses weaknesses) {
  std::uint32_t all = 0;
  for (const Weakness one : weaknesses) all |= static_cast<std::uint32_t>(one);
  return all;
}

Subject sandbox(Mode mode) { return Subject(Lab::current().product(), {.mode = mode}); }

Subject control_jail(Weaknesses weaknesses, Mode mode) {
  return Subject(Lab::current().control(), {.mode = mode, .weaken = bits(weaknesses)});
}

}  // namespace attacks
