#include "spawner/records.h"

#include "sys/directory.h"
#include "tests/support/instance.h"
#include "tests/support/result.h"

namespace spawner {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using testing::IsEmpty;

Record some_record() {
  return {.id = base::SandboxId::random(), .first_id = 1 << 20, .pid = 4711, .root = std::string(64, 'a')};
}

void expect_equal(const Record& one, const Record& other) {
  EXPECT_EQ(one.id, other.id);
  EXPECT_EQ(one.first_id, other.first_id);
  EXPECT_EQ(one.pid, other.pid);
  EXPECT_EQ(one.root, other.root);
}

TEST(Records, ARecordReadsAsItWasWritten) {
  const Record record = some_record();
  ASSERT_OK_AND_ASSIGN(const auto again, parse_record(format_record(record)));
  expect_equal(again, record);
}

TEST(Records, WhatIsNotExactlyARecordIsRefused) {
  const std::string good = format_record(some_record());
  ASSERT_OK(parse_record(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(parse_record(good.substr(0, size)), FailsWith(Code::kInvalid)) << good.substr(0, size);
  }
  for (const std::string& bad :
       {good + "x", good + good, "\n" + good, std::string("id=../../etc/passwd\nfirst_id=1\npid=2\nroot=x\n"),
        std::string("id=abcdefghijkmnpqr\nfirst_id=-1\npid=2\nroot=x\n"),
        std::string("id=abcdefghijkmnpqr\nfirst_id=4294967296\npid=2\nroot=x\n"),
        std::string("id=abcdefghijkmnpqr\nfirst_id=1\npid=1\nroot=x\n"),
        std::string("id=abcdefghijkmnpqr\nfirst_id=1\npid=-5\nroot=x\n"),
        std::string("id=abcdefghijkmnpqr\nfirst_id=1\npid=2 \nroot=x\n"),
        std::string("id=abcdefghijkmnpqr\npid=2\nfirst_id=1\nroot=x\n")}) {
    EXPECT_THAT(parse_record(bad), FailsWith(Code::kInvalid)) << bad;
  }
}

TEST(Records, WhatIsSavedIsLoadedUntilItIsRemoved) {
  ASSERT_OK_AND_ASSIGN(const auto instance, support::Instance::make());
  const Record record = some_record();
  EXPECT_THAT(load_records(instance.paths()).value(), IsEmpty());
  ASSERT_OK(save_record(instance.paths(), record));
  ASSERT_OK_AND_ASSIGN(const auto loaded, load_records(instance.paths()));
  ASSERT_EQ(loaded.size(), 1U);
  expect_equal(loaded[0], record);
  ASSERT_OK(remove_record(instance.paths(), record.id));
  EXPECT_OK(remove_record(instance.paths(), record.id));
  EXPECT_THAT(load_records(instance.paths()).value(), IsEmpty());
}

TEST(Records, ADraftIsNoRecord) {
  ASSERT_OK_AND_ASSIGN(const auto instance, support::Instance::make());
  const auto& paths = instance.paths();
  ASSERT_OK(sys::create_file_at(AT_FDCWD, paths.sandboxes + "/abcdefghijkmnpqr.record.new", "id=abc"));
  EXPECT_THAT(load_records(paths).value(), IsEmpty());
}

TEST(Records, ADraftThatCouldNotBecomeARecordDoesNotStay) {
  ASSERT_OK_AND_ASSIGN(const auto instance, support::Instance::make());
  const auto& paths = instance.paths();
  const Record record = some_record();
  const std::string in_the_way = record.id.text() + ".record";
  ASSERT_OK(sys::mkdirat(AT_FDCWD, paths.sandboxes + "/" + in_the_way, 0700));
  EXPECT_THAT(save_record(paths, record), FailsSaying("rename"));
  EXPECT_THAT(sys::entries(paths.sandboxes).value(), testing::ElementsAre(in_the_way));
}

TEST(Records, ABrokenFileIsNamed) {
  ASSERT_OK_AND_ASSIGN(const auto instance, support::Instance::make());
  const auto& paths = instance.paths();
  ASSERT_OK(sys::create_file_at(AT_FDCWD, paths.sandboxes + "/abcdefghijkmnpqr.record", "garbage"));
  EXPECT_THAT(load_records(paths), FailsSaying("abcdefghijkmnpqr.record: malformed"));
}

}  // namespace
}  // namespace spawner
