#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sandbox.h"

namespace attacks {

// What an attack program said, in the protocol of programs/probe.h.
struct Verdict {
  std::string name;
  bool worked = false;  // of a probe: WORKED; of a twin: OK
  std::string detail;
};

struct Report {
  engine::Outcome outcome;
  std::string error;  // the run could not even start
  std::string standard_error;
  std::size_t output_bytes = 0;  // that arrived here, of both kinds
  std::vector<Verdict> probes;
  std::vector<Verdict> twins;
  std::vector<std::pair<std::string, std::string>> facts;

  const Verdict* probe(std::string_view name) const;
  // Every value of a key, in the order they came.
  std::vector<std::string> values(std::string_view key) const;
  std::string value(std::string_view key) const;  // the first; empty when there is none
  // "probe canary WORKED /x" and so on, for a failed test to show.
  std::string text() const;
};

void parse_line(std::string_view line, Report& report);

}  // namespace attacks
