// Both ways to show what cells tell, with what a hostile runtime might tell among it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "cli/json_events.h"
#include "cli/text_events.h"
#include "sys/temp_dir.h"
#include "tests/support/result.h"

namespace cli {
namespace {

using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStderr;
using testing::internal::GetCapturedStdout;
using wire::init::Channel;

engine::Bundle bundle(const std::string& json, const std::string& bytes = "") {
  return engine::Bundle::parse(std::to_string(json.size()) + "\n" + json + bytes).value();
}

const std::string kFigure =
    R"({"type": "display", "data": {"text/plain": "<Figure>", "image/png": {"bytes": [0, 3]}}, "metadata": {}})";

class CellEventsTest : public testing::Test {
 protected:
  std::vector<boost::json::object> lines() {
    std::vector<boost::json::object> all;
    std::istringstream out(GetCapturedStdout());
    for (std::string line; std::getline(out, line);) all.push_back(boost::json::parse(line).as_object());
    return all;
  }

  Terminal terminal_ = Terminal::open().value();
  sys::TempDir dir_ = sys::TempDir::make().value();
};

TEST_F(CellEventsTest, TextShowsValuesAndTracebacksAndSavesWhatIsNoText) {
  CaptureStdout();
  CaptureStderr();
  TextEvents events(terminal_, OutputFiles::in(dir_ / "new/folder").value());
  ASSERT_OK(events.output(Channel::kStdout, "no newline"));
  ASSERT_OK(events.event(bundle(kFigure, "PNG")));
  ASSERT_OK(events.event(bundle(R"({"type": "error", "name": "E", "value": "v", "traceback": "Trace"})")));
  EXPECT_EQ(GetCapturedStdout(), "no newline\n<Figure>\n");
  EXPECT_EQ(GetCapturedStderr(), "cove: saved " + (dir_ / "new/folder/output-1.png") + "\nTrace\n");
  EXPECT_EQ(sys::read_file(dir_ / "new/folder/output-1.png").value(), "PNG");
}

TEST_F(CellEventsTest, TextSaysWhenAFigureIsNotKept) {
  CaptureStdout();
  CaptureStderr();
  TextEvents events(terminal_, OutputFiles::in("").value());
  ASSERT_OK(events.event(bundle(kFigure, "PNG")));
  EXPECT_EQ(GetCapturedStdout(), "<Figure>\n");
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("--out DIR saves it"));
}

TEST_F(CellEventsTest, JsonIsOneEventPerLineWithBinaryDataAsBase64) {
  CaptureStdout();
  JsonEvents events(terminal_, OutputFiles::in("").value());
  ASSERT_OK(events.begin());
  ASSERT_OK(events.output(Channel::kStdout, "a\xC3"));
  ASSERT_OK(events.output(Channel::kStdout, "\xBC\xFF"));
  ASSERT_OK(events.event(bundle(kFigure, "PNG")));
  ASSERT_OK(events.end({.cause = base::Cause::kError, .exit_code = 1}));
  const auto told = lines();
  ASSERT_EQ(told.size(), 5U);
  EXPECT_EQ(told[0].at("type"), "started");
  EXPECT_EQ(told[1].at("text"), "a");
  EXPECT_EQ(told[2].at("text"), "\u00fc\uFFFD");
  EXPECT_EQ(told[3].at("data").at("image/png"), "UE5H");
  EXPECT_EQ(told[4].at("cause"), "error");
  for (const auto& event : told) EXPECT_EQ(event.at("cell"), 1);
}

TEST_F(CellEventsTest, JsonNamesTheFileInsteadOfTheData) {
  CaptureStdout();
  JsonEvents events(terminal_, OutputFiles::in(dir_.path()).value());
  ASSERT_OK(events.event(bundle(kFigure, "PNG")));
  const auto told = lines();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_FALSE(told[0].at("data").as_object().contains("image/png"));
  EXPECT_EQ(told[0].at("files").at("image/png").as_string(), dir_ / "output-1.png");
}

TEST_F(CellEventsTest, ARuntimeCannotSayWhatIsOursToSay) {
  CaptureStdout();
  CaptureStderr();
  JsonEvents json(terminal_, OutputFiles::in("").value());
  TextEvents text(terminal_, OutputFiles::in("").value());
  for (const char* claim : {R"({"type": "ended", "cause": "ok"})", R"({"type": "receipt"})", R"({"type": 7})",
                            R"({})", R"({"type": "stdout", "text": "x"})"}) {
    ASSERT_OK(json.event(bundle(claim)));
    ASSERT_OK(text.event(bundle(claim)));
  }
  EXPECT_EQ(GetCapturedStdout(), "");
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST_F(CellEventsTest, WrongShapesAreShownAsFarAsTheyGo) {
  CaptureStdout();
  CaptureStderr();
  TextEvents events(terminal_, OutputFiles::in(dir_.path()).value());
  for (const char* odd :
       {R"({"type": "result", "data": 7})", R"({"type": "result"})", R"({"type": "error"})",
        R"({"type": "display", "data": {"text/plain": 7, "image/png": {"bytes": [9, 99]}}})"}) {
    ASSERT_OK(events.event(bundle(odd)));
  }
  // What points outside is not followed; it is JSON like any other.
  EXPECT_EQ(sys::read_file(dir_ / "output-1.png").value(), "{\"bytes\":[9,99]}\n");
  (void)GetCapturedStdout();
  (void)GetCapturedStderr();
}

}  // namespace
}  // namespace cli
