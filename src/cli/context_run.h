#pragma once

#include "cli/language.h"
#include "cli/receipt.h"
#include "cli/sandbox_arguments.h"
#include "engine/context.h"

namespace cli {

// What a cell that fails means for those after it.
enum class AfterFailure { kStop, kGoOn };

// Cells to run one after the other in one context.
struct ContextJob {
  Ground ground;
  const Language* language = nullptr;
  std::vector<std::string> cells;
  std::string input;  // what the code may read
  std::string out;    // folder for rich results; empty: none
  Show show = Show::kNothing;
  AfterFailure after_failure = AfterFailure::kStop;
};

// The exit code of `cove`: that of the first cell that fails.
Result<int> run_cells(const Globals& globals, const ContextJob& job);

// What a context, its sandbox and its cells are made of.
engine::SandboxOptions options_for_context(const Ground& ground, const Language& language);
engine::ContextOptions context_options(const Ground& ground, const Language& language);
engine::Cell cell_of(const Ground& ground, const Language& language, const std::string& code);
// With what a user can do about it.
Result<> explained_start(Result<> started, const Ground& ground, const Language& language);

// A file, or stdin for "-".
Result<std::string> read_input(const std::string& path);

}  // namespace cli
