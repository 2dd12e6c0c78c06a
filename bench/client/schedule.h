#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/client/cove_request.h"
#include "bench/client/program.h"

namespace bench {

// One contender with one job.
struct Case {
  std::string name;
  enum class Kind { kProgram, kRequest } kind = Kind::kProgram;
  int every = 1;    // takes part in every so manieth round: slow ones are measured less often
  Program program;  // kRequest: only its argv counts
};

// Cases from lines of words that tabs separate: NAME, EVERY, KIND, words…
// KIND is `exec` (a program), `chroot` (the next word is the root it is executed in) or `request`
// (a sandbox of its own, asked of the spawner over a connection that stays open). A word `{n}` becomes a
// number that no other sample has.
Result<std::vector<Case>> parse_cases(const std::string& text);

struct Schedule {
  int rounds = 10;
  int warmup = 1;       // rounds before that do not count
  int burst = 1;        // samples of one case in a row
  int concurrency = 1;  // of one case at once
  std::chrono::milliseconds pace{0};
};

// All cases take turns, in each round in another order. One line per sample goes to `out`: name,
// microseconds, `ok` or what went wrong, separated by tabs.
Result<> run_cases(const std::vector<Case>& cases, const Cove& cove, const Schedule& schedule,
                   std::FILE* out);

}  // namespace bench
