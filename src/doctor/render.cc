#include "doctor/render.h"

#include <algorithm>

#include "doctor/host_text.h"

namespace doctor {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kStatusColumn = 9;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

// Breaks text between words; every line after the first starts with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (const auto word : split(text, ' ')) {
    const bool first = column == indent;
    if (!first && column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string status_word(Status status) {
  std::string word(name_of(status));
  if (status == Status::kMissing) {
    for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
  }
  return word;
}

std::string advice(const char* label, std::string_view text, std::size_t indent) {
  const std::string head = padded(label, 5);
  return std::string(indent, ' ') + head + wrapped(text, indent + head.size()) + "\n";
}

std::string line(const Finding& finding, std::size_t id_width) {
  const std::string head =
      "  " + padded(status_word(finding.status), kStatusColumn) + padded(finding.id, id_width) + "  ";
  // Where something could not be found out there is nothing to mend: what stood in the way is said.
  if (finding.status == Status::kOk || finding.status == Status::kUnknown)
    return head + wrapped(finding.found, head.size()) + "\n";
  const std::size_t indent = 2 + kStatusColumn;
  return head + wrapped(finding.found + "; needed: " + finding.needed, head.size()) + "\n" +
         advice("why", finding.why, indent) + advice("fix", finding.fix, indent);
}

std::size_t widest_id(const Report& report) {
  std::size_t width = 0;
  for (const auto& finding : report.findings) width = std::max(width, finding.id.size());
  return width;
}

std::string section(const Report& report, Level level, const char* title) {
  std::string out = std::string("\n") + title + "\n";
  const std::size_t width = widest_id(report);
  for (const auto& finding : report.findings) {
    if (finding.level == level) out += line(finding, width);
  }
  return out;
}

std::size_t count(const Report& report, Level level, Status status) {
  return static_cast<std::size_t>(std::ranges::count_if(report.findings, [&](const Finding& finding) {
    return finding.level == level && finding.status == status;
  }));
}

std::string verdict(const Report& report) {
  const auto missing = count(report, Level::kRequired, Status::kMissing);
  const auto unknown = count(report, Level::kRequired, Status::kUnknown);
  if (!report.default_tier_works()) {
    std::string out = "Verdict: the default tier does not work here: " + std::to_string(missing) + " missing";
    return out + (unknown > 0 ? ", " + std::to_string(unknown) + " not known.\n" : ".\n");
  }
  std::size_t open = 0;
  for (const auto level : {Level::kRequired, Level::kAdvised}) {
    open += count(report, level, Status::kWeak) +
            (level == Level::kAdvised ? count(report, level, Status::kMissing) : 0);
  }
  if (open == 0) return "Verdict: the default tier works here.\n";
  return "Verdict: the default tier works here; " + std::to_string(open) +
         (open == 1 ? " thing" : " things") + " could be better.\n";
}

bool is_not_root(const Report& report) {
  return std::ranges::any_of(report.findings, [](const Finding& finding) {
    return finding.id == "root" && finding.status == Status::kMissing;
  });
}

}  // namespace

std::string render_text(const Report& report) {
  std::string out;
  if (is_not_root(report)) {
    out +=
        "This is not the machine's root. Run cove doctor with sudo; what needs no root is checked below.\n\n";
  }
  out += "Linux " + report.kernel + ", " + report.system + ", " + report.environment.name + "\n";
  if (!report.environment.meaning.empty()) out += "\n  " + wrapped(report.environment.meaning, 2) + "\n";
  out += section(report, Level::kRequired, "Required");
  out += section(report, Level::kAdvised, "Advised");
  return out + "\n" + verdict(report);
}

}  // namespace doctor
