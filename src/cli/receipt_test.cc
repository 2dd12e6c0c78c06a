#include "cli/receipt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "cli/command.h"

namespace cli {
namespace {

using base::bit;
using base::Cause;
using base::Limit;
using engine::Outcome;
using testing::HasSubstr;

struct Story {
  Outcome outcome{.cause = Cause::kOk,
                  .usage = {.wall_us = 1500,
                            .cpu_us = 900,
                            .peak_memory_bytes = 8 << 20,
                            .stdout_bytes = 12,
                            .stderr_bytes = 3}};
  Ground ground{.template_name = "base", .timeout = std::chrono::seconds(60), .output_cap = 10 << 20};

  engine::FileChanges files = {};

  Receipt receipt() const {
    return {.outcome = outcome,
            .ground = ground,
            .disk_bytes = 1 << 30,
            .sandbox = "abcdefghijkmnpqr",
            .seccomp = "5ecc",
            .setup = {{"join limits", std::chrono::microseconds(17)}},
            .create_time = std::chrono::microseconds(5000),
            .files = files};
  }
};

TEST(ReceiptJson, HasWhatAProgramNeeds) {
  Story story;
  story.outcome.cause = Cause::kError;
  story.outcome.exit_code = 3;
  const auto json = receipt_json(story.receipt());
  EXPECT_EQ(json.at("cause"), "error");
  EXPECT_EQ(json.at("exit_code"), 3);
  EXPECT_EQ(json.at("signal"), 0);
  const auto& receipt = json.at("receipt").as_object();
  EXPECT_EQ(receipt.at("sandbox"), "abcdefghijkmnpqr");
  EXPECT_EQ(receipt.at("template"), "base");
  EXPECT_EQ(receipt.at("wall_us"), 1500);
  EXPECT_EQ(receipt.at("peak_memory_bytes"), 8 << 20);
  EXPECT_EQ(receipt.at("output").at("stdout_bytes"), 12);
  EXPECT_EQ(receipt.at("limits").at("memory_bytes"), 512 << 20);
  EXPECT_EQ(receipt.at("limits").at("timeout_ms"), 60'000);
  EXPECT_EQ(receipt.at("seccomp"), "5ecc");
  EXPECT_EQ(receipt.at("setup").at("us"), 5000);
  EXPECT_EQ(receipt.at("setup").at("steps").at(0).at("step"), "join limits");
}

TEST(ReceiptJson, ListsTheLimitsThatWereHitByName) {
  Story story;
  EXPECT_TRUE(receipt_json(story.receipt()).at("receipt").at("limits_hit").as_array().empty());
  story.outcome.limits_hit = bit(Limit::kMemory) | bit(Limit::kOutput);
  EXPECT_EQ(receipt_json(story.receipt()).at("receipt").at("limits_hit"),
            (boost::json::array{"memory", "output"}));
}

TEST(ReceiptJson, CpusAreAWholeNumberWhereTheyAreOne) {
  Story story;
  story.ground.options.cpu_millis = 2000;
  EXPECT_EQ(receipt_json(story.receipt()).at("receipt").at("limits").at("cpus"), 2);
  story.ground.options.cpu_millis = 500;
  EXPECT_EQ(receipt_json(story.receipt()).at("receipt").at("limits").at("cpus"), 0.5);
}

TEST(ReceiptJson, IsOneLine) {
  const Story story;
  EXPECT_THAT(boost::json::serialize(receipt_json(story.receipt())), Not(HasSubstr("\n")));
}

TEST(ReceiptText, TellsWhatAPersonAsks) {
  Story story;
  story.outcome.usage.dropped_bytes = 2048;
  const std::string text = receipt_text(story.receipt());
  for (const char* part :
       {"cause        ok", "1.5 ms wall, 0.9 ms CPU", "8.0 MiB at its peak, of 512.0 MiB",
        "12 B stdout, 3 B stderr, 2.0 KiB dropped", "abcdefghijkmnpqr from template base, made in 5.0 ms"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(ReceiptText, NamesTheFirstFilesAndShowsNoControlCharacter) {
  Story story;
  EXPECT_THAT(receipt_text(story.receipt()), HasSubstr("files        none created, changed or removed\n"));
  story.files.created = {.paths = {"/home/user/plot.png", "/home/user/data.csv"}, .count = 2};
  story.files.changed = {.paths = {"/home/user/a\x1b[31m\nb\xff"}, .count = 1};
  EXPECT_THAT(receipt_text(story.receipt()),
              HasSubstr("files        2 created (plot.png, data.csv), 1 changed (a?[31m?b?)\n"));
  story.files = {.removed = {.paths = {"/home/user/1", "/tmp/2", "/home/user/3", "/home/user/4"}, .count = 9},
                 .is_cut = true};
  EXPECT_THAT(receipt_text(story.receipt()), HasSubstr("9 removed (1, /tmp/2, 3, …); there may be more\n"));
  story.files.unknown = "sandbox x has ended";
  EXPECT_THAT(receipt_text(story.receipt()), HasSubstr("files        unknown: sandbox x has ended\n"));
}

TEST(ReceiptJson, NamesOfFilesAreTextWhateverTheirBytes) {
  Story story;
  story.files.created = {.paths = {"/home/user/n\nl", "/home/user/\xff\xfe", "/home/user/\xc3"}, .count = 3};
  story.files.unknown = "\xf0";
  const auto text = boost::json::serialize(receipt_json(story.receipt()));
  const auto files = boost::json::parse(text).at("receipt").at("files").as_object();
  EXPECT_EQ(files.at("created"), (boost::json::array{"/home/user/n\nl", "/home/user/\xEF\xBF\xBD\xEF\xBF\xBD",
                                                     "/home/user/\xEF\xBF\xBD"}));
  EXPECT_EQ(files.at("counts").at("created"), 3);
  EXPECT_EQ(files.at("truncated"), false);
  EXPECT_EQ(files.at("unknown"), true);
  EXPECT_EQ(files.at("why"), "\xEF\xBF\xBD");
}

TEST(VerdictLine, IsSilentWhenTheProgramSpeaksForItself) {
  for (const Cause cause : {Cause::kOk, Cause::kError}) {
    Story story;
    story.outcome.cause = cause;
    EXPECT_EQ(verdict_line(story.receipt()), "");
  }
}

TEST(VerdictLine, NamesTheLimitAndTheOptionThatSetsIt) {
  const std::pair<Cause, const char*> cases[] = {
      {Cause::kTimeout, "timeout after 60.00 s; --timeout"},
      {Cause::kOutOfMemory, "out of memory (512.0 MiB); --memory"},
      {Cause::kDiskFull, "--disk"},
      {Cause::kPidsLimit, "256 processes"},
      {Cause::kCrashed, "signal 11"},
      {Cause::kInterrupted, "interrupted"},
      {Cause::kSandboxEnded, "the sandbox ended"},
  };
  for (const auto& [cause, words] : cases) {
    Story story;
    story.outcome.cause = cause;
    story.outcome.signal = 11;
    EXPECT_THAT(verdict_line(story.receipt()), HasSubstr(words));
  }
}

TEST(VerdictLine, TellsOfDroppedOutput) {
  Story story;
  story.outcome.usage.dropped_bytes = 7;
  EXPECT_THAT(verdict_line(story.receipt()), HasSubstr("7 more bytes were dropped"));
}

TEST(ExitCode, IsTheProgramsOwnOrTellsTheCause) {
  const auto code = [](Cause cause, int exit_code, int signal) {
    return exit_code_of({.cause = cause, .exit_code = exit_code, .signal = signal});
  };
  EXPECT_EQ(code(Cause::kOk, 0, 0), 0);
  EXPECT_EQ(code(Cause::kError, 42, 0), 42);
  EXPECT_EQ(code(Cause::kCrashed, 0, 11), 139);
  EXPECT_EQ(code(Cause::kTimeout, 0, 15), 124);
  EXPECT_EQ(code(Cause::kOutOfMemory, 0, 9), 137);
  EXPECT_EQ(code(Cause::kInterrupted, 0, 2), 130);
  EXPECT_EQ(code(Cause::kCancelled, 0, 0), 130);
  EXPECT_EQ(code(Cause::kDiskFull, 1, 0), 1);
  EXPECT_EQ(code(Cause::kPidsLimit, 2, 0), 2);
  EXPECT_EQ(code(Cause::kSandboxEnded, 0, 0), kExitCoveFailed);
  EXPECT_EQ(code(Cause::kContextLost, 0, 0), kExitCoveFailed);
}

}  // namespace
}  // namespace cli
