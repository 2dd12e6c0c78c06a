#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>

#include "tests/attacks/subject.h"

// attacks: each row of README.md as a test. A program first runs in a control jail, where just the mechanism
// under test is removed, and has to work there; then in a sandbox of the product, where it must not. All of
// it happens in a scratch world (world.h) that holds two spawners: the product's own, and the control spawner
// of tests/control.
namespace attacks {

using jail::Weakness;
using wire::init::User;
using wire::spawner::Mode;
using Weaknesses = std::initializer_list<Weakness>;

// The two spawners and the scratch directory, from before the first test until after the last.
class Lab final : public testing::Environment {
 public:
  explicit Lab(std::string scratch) : scratch_(std::move(scratch)) {}
  void SetUp() override;
  void TearDown() override;

  static Lab& current();
  const std::string& scratch() const { return scratch_; }
  SpawnerProcess& product() { return *product_; }
  SpawnerProcess& control() { return *control_; }
  // A text that occurs nowhere else; planted in the environment of everything that runs here.
  const std::string& canary() const { return canary_; }

 private:
  std::string scratch_;
  std::string canary_ = base::random_hex(16);
  std::optional<SpawnerProcess> product_;
  std::optional<SpawnerProcess> control_;
};

std::uint32_t bits(Weaknesses weaknesses);

// A sandbox as everybody gets it, and one with mechanisms missing.
Subject sandbox(Mode mode = Mode::kUser);
Subject control_jail(Weaknesses weaknesses, Mode mode = Mode::kUser);

}  // namespace attacks
