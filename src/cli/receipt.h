#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "cli/sandbox_arguments.h"
#include "cli/stay.h"
#include "engine/file_changes.h"

namespace cli {

// How the user wants to see it.
enum class Show { kNothing, kJson, kText };

// What is told of a run after its output.
struct Receipt {
  const engine::Outcome& outcome;
  const Ground& ground;
  std::uint64_t disk_bytes = 0;  // what it got, when it left that open
  std::string sandbox;
  std::string seccomp;
  std::vector<engine::SetupStep> setup;
  std::chrono::microseconds create_time{};
  engine::FileChanges files = {};
};

// The files of a run, looked at before it and after it, when a receipt is wanted that tells of them.
class WatchedFiles {
 public:
  WatchedFiles(Stay& stay, const Ground& ground, Show show) {
    if (show == Show::kNothing) return;
    trees_.emplace(stay.sandbox(), ground.cwd);
    if (ground.template_root.empty()) {
      trees_->begin();
    } else {
      trees_->begin_untouched(ground.template_root);
    }
  }
  engine::FileChanges changes() { return trees_ ? trees_->changes() : engine::FileChanges(); }

 private:
  std::optional<engine::WatchedTrees> trees_;
};

Receipt receipt_of(const Stay& stay, const Ground& ground, const engine::Outcome& outcome,
                   engine::FileChanges files);

boost::json::object receipt_json(const Receipt& receipt);
std::string receipt_text(const Receipt& receipt);
// One line for a human when a run ended otherwise than by itself; empty when there is nothing to add.
std::string verdict_line(const Receipt& receipt);
int exit_code_of(const engine::Outcome& outcome);
// The verdict, and the whole receipt when it is wanted as text.
void tell_people(const Receipt& receipt, Show show);

}  // namespace cli
