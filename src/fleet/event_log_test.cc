#include "fleet/event_log.h"

#include <filesystem>

#include "sys/temp_dir.h"
#include "tests/support/result.h"

namespace fleet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kAll = SIZE_MAX;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

class EventLogTest : public testing::Test {
 protected:
  std::vector<std::string> texts(EventLog& log, std::uint64_t after = 0, std::size_t most = kAll) {
    std::vector<std::string> all;
    const auto events = log.after(after, most);
    EXPECT_OK(events);
    for (const Event& event : *events) {
      EXPECT_EQ(event.number, after + all.size() + 1) << "numbers have no gaps";
      all.push_back(std::string(name_of(event.kind)) + ":" + event.bytes);
    }
    return all;
  }

  sys::TempDir dir_ = sys::TempDir::make().value();
  std::shared_ptr<Spools> spools_ = std::make_shared<Spools>(dir_.path(), Spools::Limits{});
};

TEST_F(EventLogTest, TellsEverythingInOrderFromAnyEventOn) {
  EventLog log(spools_, {});
  log.add(EventKind::kStarted);
  log.add_output(EventKind::kStdout, "a");
  log.add_output(EventKind::kStderr, "b");
  EXPECT_TRUE(log.add_rich(EventKind::kResult, "{}"));
  log.add(EventKind::kEnded);
  EXPECT_THAT(texts(log), ElementsAre("started:", "stdout:a", "stderr:b", "result:{}", "ended:"));
  EXPECT_THAT(texts(log, 3), ElementsAre("result:{}", "ended:"));
  EXPECT_THAT(texts(log, 5), IsEmpty());
  EXPECT_THAT(texts(log, 6), IsEmpty()) << "what nobody was told of yet";
  EXPECT_THAT(texts(log, 1, 1), ElementsAre("stdout:a")) << "at least one, and not more than asked for";
  EXPECT_EQ(spools_->files(), 0U);
}

TEST_F(EventLogTest, OutputJoinsWhatNobodyHasReadYet) {
  EventLog log(spools_, {});
  log.add_output(EventKind::kStdout, "one ");
  log.add_output(EventKind::kStdout, "two ");
  EXPECT_THAT(texts(log), ElementsAre("stdout:one two "));
  log.add_output(EventKind::kStdout, "three");
  log.add_output(EventKind::kStderr, "!");
  log.add_output(EventKind::kStdout, "four");
  EXPECT_THAT(texts(log, 1), ElementsAre("stdout:three", "stderr:!", "stdout:four"));
  EXPECT_THAT(texts(log), ElementsAre("stdout:one two ", "stdout:three", "stderr:!", "stdout:four"));
}

TEST_F(EventLogTest, ALongOneGoesToAFileWithoutANameAndIsReadFromThere) {
  const std::size_t before = open_descriptors();
  {
    EventLog log(spools_, {.output = 64 << 20, .memory = 1000});
    std::vector<std::string> wanted;
    for (int i = 0; i < 3000; ++i) {
      const auto channel = i % 2 == 0 ? EventKind::kStdout : EventKind::kStderr;
      const std::string text = std::to_string(i) + std::string(static_cast<std::size_t>(i % 300), 'x');
      log.add_output(channel, text);
      wanted.push_back(std::string(name_of(channel)) + ":" + text);
    }
    EXPECT_LE(log.memory(), 1000U);
    EXPECT_EQ(spools_->files(), 1U);
    EXPECT_THAT(std::filesystem::directory_iterator(dir_.path()), std::filesystem::directory_iterator());
    EXPECT_THAT(texts(log), testing::ElementsAreArray(wanted));
    for (const std::size_t from : {1U, 77U, 1500U, 2998U}) {
      EXPECT_THAT(texts(log, from),
                  testing::ElementsAreArray(wanted.begin() + static_cast<long>(from), wanted.end()));
    }
    std::uint64_t read = 0;
    while (true) {
      ASSERT_OK_AND_ASSIGN(const auto some, log.after(read, 777));
      if (some.empty()) break;
      read = some.back().number;
    }
    EXPECT_EQ(read, 3000U);
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(spools_->files(), 0U);
  EXPECT_EQ(spools_->bytes(), 0U);
}

TEST_F(EventLogTest, OutputPastItsLimitIsCountedAndTheEndIsStillTold) {
  EventLog log(spools_, {.output = 100});
  for (int i = 0; i < 10; ++i) log.add_output(EventKind::kStdout, std::string(30, 'x'));
  log.add(EventKind::kEnded);
  EXPECT_THAT(texts(log), ElementsAre("stdout:" + std::string(100, 'x'), "ended:"));
  EXPECT_EQ(log.dropped(), 200U);
}

TEST_F(EventLogTest, AFloodOfSingleBytesStaysWithinItsBound) {
  EventLog log(spools_, {.output = 20'000, .memory = 512});
  for (int i = 0; i < 50'000; ++i) {
    log.add_output(EventKind::kStdout, "x");
    ASSERT_OK(log.after(log.last() - 1, kAll));  // a reader who takes each at once
  }
  EXPECT_EQ(log.last(), 20'000U);
  EXPECT_EQ(log.dropped(), 30'000U);
  EXPECT_LE(log.size(), 5U * 20'000U);
}

TEST_F(EventLogTest, ResultsHaveABoundOfTheirOwn) {
  EventLog log(spools_, {.rich = 1000});
  EXPECT_TRUE(log.add_rich(EventKind::kDisplay, std::string(900, 'x')));
  EXPECT_FALSE(log.add_rich(EventKind::kDisplay, std::string(900, 'x')));
  EXPECT_TRUE(log.add_rich(EventKind::kResult, "small"));
  log.add_output(EventKind::kStdout, "and output is no part of it");
  EXPECT_EQ(log.last(), 3U);
}

TEST_F(EventLogTest, WithoutRoomInTheSpoolsItKeepsWhatItHasAndCountsTheRest) {
  const auto full = std::make_shared<Spools>(dir_.path(), Spools::Limits{.files = 0});
  EventLog log(full, {.memory = 1000});
  log.add_output(EventKind::kStdout, std::string(900, 'a'));
  log.add_output(EventKind::kStdout, std::string(900, 'b'));
  EXPECT_FALSE(log.add_rich(EventKind::kResult, std::string(1 << 20, 'r')));
  log.add(EventKind::kEnded);
  EXPECT_THAT(texts(log), ElementsAre("stdout:" + std::string(900, 'a'), "ended:"));
  EXPECT_EQ(log.dropped(), 900U);
  EventLog other(full, {.memory = 1000});
  EXPECT_FALSE(other.add_rich(EventKind::kResult, std::string(1 << 20, 'r')));
  EXPECT_EQ(other.memory(), 0U);
  EXPECT_EQ(other.last(), 0U);
  const auto missing = std::make_shared<Spools>("/nowhere", Spools::Limits{});
  EventLog lost(missing, {.memory = 10});
  lost.add_output(EventKind::kStdout, "0123456789abcdef");
  lost.add_output(EventKind::kStdout, "0123456789abcdef");
  EXPECT_GT(lost.dropped(), 0U);
}

TEST_F(EventLogTest, TheSpoolsHaveABoundForAllLogsTogether) {
  const auto small = std::make_shared<Spools>(dir_.path(), Spools::Limits{.files = 10, .bytes = 150'000});
  EventLog one(small, {.memory = 1000});
  EventLog two(small, {.memory = 1000});
  for (int i = 0; i < 10; ++i) {
    one.add_output(EventKind::kStdout, std::string(10'000, '1'));
    two.add_output(EventKind::kStdout, std::string(10'000, '2'));
  }
  EXPECT_LE(small->bytes(), 150'000U);
  EXPECT_GT(one.dropped() + two.dropped(), 0U);
  EXPECT_LE(one.memory() + two.memory(), 2 * (64U << 10));
}

TEST_F(EventLogTest, SpilledItTakesNoMemoryAndIsStillRead) {
  EventLog log(spools_, {});
  log.add_output(EventKind::kStdout, "text");
  log.spill();
  EXPECT_EQ(log.memory(), 0U);
  log.add_output(EventKind::kStdout, "more");
  log.add(EventKind::kEnded);
  EXPECT_THAT(texts(log), ElementsAre("stdout:text", "stdout:more", "ended:"));
}

TEST_F(EventLogTest, KeepsTheEndOfWhatNeverEnds) {
  EventLog log(spools_, {.output = 200'000, .memory = 1000, .keep = EventLog::Keep::kLast});
  std::string all;
  for (int i = 0; i < 100'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    log.add_output(EventKind::kStdout, line);
    all += line;
    if (i % 10 == 0) ASSERT_OK(log.after(log.last() - 1, kAll));
  }
  EXPECT_EQ(log.dropped(), 0U);
  EXPECT_LE(spools_->bytes(), 400'000U);
  ASSERT_OK_AND_ASSIGN(const auto events, log.after(0, kAll));
  EXPECT_GT(events.front().number, 1U);
  EXPECT_EQ(events.back().number, log.last());
  std::string kept;
  for (const Event& event : events) kept += event.bytes;
  EXPECT_GE(kept.size(), 200'000U);
  EXPECT_LE(kept.size(), 300'000U);
  EXPECT_EQ(log.forgotten() + kept.size(), all.size());
  EXPECT_TRUE(all.ends_with(kept));
}

TEST_F(EventLogTest, WithoutRoomInTheSpoolsWhatComesGoesBeforeWhatCame) {
  const auto full = std::make_shared<Spools>(dir_.path(), Spools::Limits{.files = 0});
  EventLog log(full, {.memory = 1000, .keep = EventLog::Keep::kLast});
  std::string all;
  for (const char c : {'a', 'b', 'c', 'd'}) {
    log.add_output(EventKind::kStdout, std::string(700, c));
    all.append(700, c);
    ASSERT_OK_AND_ASSIGN(const auto events, log.after(0, kAll));
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events.front().bytes, std::string(700, c));
    EXPECT_EQ(log.forgotten() + 700, all.size());
  }
  EXPECT_EQ(log.dropped(), 0U);
  EXPECT_LE(log.memory(), 1000U);
}

TEST(EventNames, OnlyWhatRuntimesMayTellIsTakenFromThem) {
  EXPECT_EQ(rich_kind("result"), EventKind::kResult);
  EXPECT_EQ(rich_kind("notice"), EventKind::kNotice);
  EXPECT_EQ(rich_kind("update_display"), EventKind::kUpdateDisplay);
  for (const char* name : {"started", "stdout", "stderr", "ended", "", "completeness"}) {
    EXPECT_EQ(rich_kind(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace fleet
