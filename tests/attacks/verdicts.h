#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/attacks/lab.h"

namespace attacks {

using Names = std::vector<std::string>;
using Refusals = std::set<std::string>;

// The control's half of a row: the named probes worked, and their lawful neighbours too.
void expect_worked(const Report& report, const Names& probes);
// The sandbox's half: there were probes, each was refused, and in one of these words.
void expect_all_refused(const Report& report, const Refusals& words);
void expect_refused_as(const Report& report, const std::string& probe, const std::string& word);

// A row with one control and no particulars.
struct Row {
  std::string program;
  Weaknesses removed;
  Names worked;      // in the control jail
  Refusals refused;  // in the sandbox
};
void prove(const Row& row);

// Programs of kind facts.
void expect_told(const Report& report);

}  // namespace attacks
