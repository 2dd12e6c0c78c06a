#include <fmt/format.h>

#include <boost/json.hpp>

#include "cli/command.h"
#include "doctor/finding.h"
#include "doctor/render.h"

namespace cli {

namespace {

boost::json::object json_of(const doctor::Report& report) {
  boost::json::array findings;
  for (const doctor::Finding& finding : report.findings) {
    findings.push_back({{"id", finding.id},
                        {"level", doctor::name_of(finding.level)},
                        {"status", doctor::name_of(finding.status)},
                        {"found", finding.found},
                        {"needed", finding.needed},
                        {"why", finding.why},
                        {"fix", finding.fix}});
  }
  return {{"default_tier_works", report.default_tier_works()},
          {"kernel", report.kernel},
          {"system", report.system},
          {"environment",
           {{"kind", doctor::name_of(report.environment.kind)},
            {"name", report.environment.name},
            {"meaning", report.environment.meaning}}},
          {"findings", std::move(findings)}};
}

}  // namespace

void add_doctor(CLI::App& app, const Globals& globals, Chosen& chosen) {
  auto* sub = app.add_subcommand("doctor", "Say what this host lacks and how to mend it");
  auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json, "As one JSON object");
  sub->footer(
      "Exit code 0: the default tier works here. 1: something required is missing.\n"
      "Example: cove doctor --json | jq '.findings[] | select(.status != \"ok\")'");
  sub->callback([json, &globals, &chosen] {
    chosen.action = [json, &globals] {
      const auto found = doctor::examine({.state_directory = globals.state});
      fmt::print("{}", *json ? boost::json::serialize(json_of(found)) + "\n" : doctor::render_text(found));
      return found.default_tier_works() ? 0 : 1;
    };
  });
}

}  // namespace cli
