#include "tests/attacks/verdicts.h"

namespace attacks {

namespace {

constexpr int kExitWorked = 0;
constexpr int kExitRefused = 1;

void expect_twins(const Report& report) {
  for (const Verdict& twin : report.twins) {
    EXPECT_TRUE(twin.worked) << "the lawful " << twin.name << " is broken: " << twin.detail;
  }
}

}  // namespace

void expect_worked(const Report& report, const Names& probes) {
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.outcome.exit_code, kExitWorked) << report.text();
  for (const std::string& name : probes) {
    const Verdict* const probe = report.probe(name);
    ASSERT_NE(probe, nullptr) << "no probe " << name << "\n" << report.text();
    EXPECT_TRUE(probe->worked) << "in the control jail " << name << " has to work: " << probe->detail << "\n"
                               << report.text();
  }
  expect_twins(report);
}

void expect_all_refused(const Report& report, const Refusals& words) {
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.outcome.exit_code, kExitRefused) << report.text();
  EXPECT_FALSE(report.probes.empty()) << report.text();
  for (const Verdict& probe : report.probes) {
    EXPECT_FALSE(probe.worked) << probe.name << " works in a sandbox: " << probe.detail;
    EXPECT_TRUE(words.contains(probe.detail)) << probe.name << " was refused as " << probe.detail;
  }
  expect_twins(report);
}

void expect_refused_as(const Report& report, const std::string& name, const std::string& word) {
  const Verdict* const probe = report.probe(name);
  ASSERT_NE(probe, nullptr) << "no probe " << name << "\n" << report.text();
  EXPECT_FALSE(probe->worked) << name << ": " << probe->detail;
  EXPECT_EQ(probe->detail, word) << name;
}

void prove(const Row& row) {
  expect_worked(control_jail(row.removed).run(row.program), row.worked);
  expect_all_refused(sandbox().run(row.program), row.refused);
}

void expect_told(const Report& report) {
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.outcome.exit_code, 0) << report.text();
  EXPECT_FALSE(report.facts.empty()) << report.text();
}

}  // namespace attacks
