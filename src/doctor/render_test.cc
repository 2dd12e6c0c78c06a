#include "doctor/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace doctor {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Finding finding(const char* id, Level level, Status status) {
  return {.id = id,
          .level = level,
          .status = status,
          .found = "what was found",
          .needed = "what is needed",
          .why = "the reason",
          .fix = "the remedy"};
}

Report report(std::vector<Finding> findings) {
  return {.kernel = "6.12",
          .system = "Debian",
          .environment = {.name = "bare metal"},
          .findings = std::move(findings)};
}

TEST(Render, WhatIsWellTakesOneLine) {
  const auto text = render_text(report({finding("root", Level::kRequired, Status::kOk)}));
  EXPECT_THAT(text, HasSubstr("  ok       root  what was found\n"));
  EXPECT_THAT(text, Not(HasSubstr("the remedy")));
  EXPECT_THAT(text, EndsWith("Verdict: the default tier works here.\n"));
}

TEST(Render, WhatIsMissingIsFollowedByItsFix) {
  const auto text = render_text(report({finding("root", Level::kRequired, Status::kOk),
                                        finding("cgroup.kill", Level::kRequired, Status::kMissing)}));
  EXPECT_THAT(text, HasSubstr("  MISSING  cgroup.kill  what was found; needed: what is needed\n"
                              "           why  the reason\n"
                              "           fix  the remedy\n"));
  EXPECT_THAT(text, EndsWith("Verdict: the default tier does not work here: 1 missing.\n"));
}

TEST(Render, AdviceDoesNotChangeTheVerdict) {
  const auto text = render_text(report({finding("swap", Level::kAdvised, Status::kWeak)}));
  EXPECT_THAT(text, EndsWith("Verdict: the default tier works here; 1 thing could be better.\n"));
}

TEST(Render, WhatCouldNotBeFoundOutCountsAsNotWorking) {
  const auto text = render_text(report({finding("ns.user", Level::kRequired, Status::kUnknown)}));
  EXPECT_THAT(text, EndsWith("does not work here: 0 missing, 1 not known.\n"));
}

TEST(Render, NotBeingRootIsSaidFirst) {
  EXPECT_THAT(render_text(report({finding("root", Level::kRequired, Status::kMissing)})),
              StartsWith("This is not the machine's root"));
}

TEST(Render, LinesStayNarrow) {
  auto long_one = finding("a", Level::kAdvised, Status::kWeak);
  for (int i = 0; i < 100; ++i) long_one.why += " word";
  const auto text = render_text(report({long_one}));
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    EXPECT_LE(end - start, 100U);
    start = end + 1;
  }
}

}  // namespace
}  // namespace doctor
