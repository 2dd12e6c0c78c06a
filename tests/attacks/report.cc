#include "tests/attacks/report.h"

#include <sstream>

namespace attacks {

namespace {
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}
}  // namespace

void parse_line(std::string_view line, Report& report) {
  const std::string_view kind = take_word(line);
  const std::string name(take_word(line));
  if (kind == "fact") {
    report.facts.emplace_back(name, std::string(line));
  } else if (kind == "fine" || kind == "FAULT" || kind == "note") {
    report.facts.emplace_back(std::string(kind), name);
    report.facts.emplace_back(name, std::string(line));
  } else if (kind == "probe" || kind == "twin") {
    const std::string_view verdict = take_word(line);
    auto& list = kind == "probe" ? report.probes : report.twins;
    list.push_back({name, verdict == "WORKED" || verdict == "OK", std::string(line)});
  }
}

const Verdict* Report::probe(std::string_view name) const {
  for (const Verdict& one : probes) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

std::vector<std::string> Report::values(std::string_view key) const {
  std::vector<std::string> found;
  for (const auto& [name, text] : facts) {
    if (name == key) found.push_back(text);
  }
  return found;
}

std::string Report::value(std::string_view key) const {
  const auto found = values(key);
  return found.empty() ? "" : found.front();
}

std::string Report::text() const {
  std::ostringstream out;
  out << "exit " << outcome.exit_code << ", signal " << outcome.signal << ", "
      << base::name_of(outcome.cause);
  if (!error.empty()) out << ", " << error;
  out << "\n" << standard_error;
  for (const Verdict& one : probes) {
    out << "probe " << one.name << (one.worked ? " WORKED " : " REFUSED ") << one.detail << "\n";
  }
  for (const Verdict& one : twins) {
    out << "twin " << one.name << (one.worked ? " OK " : " BROKEN ") << one.detail << "\n";
  }
  return out.str();
}

}  // namespace attacks
