#include "store/idempotency.h"

#include "tests/support/fresh_store.h"

namespace store {
namespace {

using base::Code;
using support::at;
using support::FailsWith;
using support::FreshStore;
using Verdict = Idempotency::Verdict;

constexpr int kDay = 24 * 3600;

class Retries : public testing::Test {
 protected:
  Verdict begin(const Attempt& attempt, int when = 0) {
    begun_ = store_->idempotency().begin(attempt, at(when));
    EXPECT_OK(begun_);
    return begun_->verdict;
  }

  FreshStore store_;
  Attempt attempt_{.team = store_.default_team(), .key = "key-1", .request_hash = std::string("h\0h", 3)};
  Result<Idempotency::Begun> begun_;
};

TEST_F(Retries, GetTheFirstAnswer) {
  EXPECT_EQ(begin(attempt_), Verdict::kNew);
  const std::string body("{\"a\":\0}", 7);
  ASSERT_OK(store_->idempotency().finish(attempt_, {.status = 201, .headers = "Location: /x", .body = body}));
  store_.reopen();
  EXPECT_EQ(begin(attempt_, kDay - 1), Verdict::kReplay);
  EXPECT_EQ(begun_->answer.status, 201);
  EXPECT_EQ(begun_->answer.headers, "Location: /x");
  EXPECT_EQ(begun_->answer.body, body);
}

TEST_F(Retries, WaitForTheFirst) {
  EXPECT_EQ(begin(attempt_), Verdict::kNew);
  EXPECT_EQ(begin(attempt_), Verdict::kInProgress);
  EXPECT_EQ(begin(attempt_, 2 * kDay), Verdict::kInProgress);
}

TEST_F(Retries, MayNotBeAnotherRequest) {
  EXPECT_EQ(begin(attempt_), Verdict::kNew);
  Attempt other = attempt_;
  other.request_hash = "other";
  EXPECT_EQ(begin(other), Verdict::kMismatch);
  ASSERT_OK(store_->idempotency().finish(attempt_, {.status = 200, .headers = "", .body = "secret"}));
  EXPECT_EQ(begin(other), Verdict::kMismatch);
  EXPECT_EQ(begun_->answer.body, "");
}

TEST_F(Retries, OfAnotherTeamAreAnotherMatter) {
  EXPECT_EQ(begin(attempt_), Verdict::kNew);
  Attempt other = attempt_;
  other.team = store_.team("other");
  EXPECT_EQ(begin(other), Verdict::kNew);
}

TEST_F(Retries, OfWhatFailedAreNew) {
  EXPECT_EQ(begin(attempt_), Verdict::kNew);
  ASSERT_OK(store_->idempotency().forget(attempt_));
  EXPECT_EQ(begin(attempt_), Verdict::kNew);
}

TEST_F(Retries, AfterADayAreNew) {
  EXPECT_EQ(begin(attempt_), Verdict::kNew);
  ASSERT_OK(store_->idempotency().finish(attempt_, {.status = 200, .headers = "", .body = ""}));
  EXPECT_EQ(begin(attempt_, kDay), Verdict::kNew);
  ASSERT_OK(store_->idempotency().finish(attempt_, {.status = 200, .headers = "", .body = ""}));
  EXPECT_EQ(*store_->idempotency().expire(at(2 * kDay - 1)), 0);
  EXPECT_EQ(*store_->idempotency().expire(at(2 * kDay)), 1);
}

TEST_F(Retries, AfterACrashTellWhatWasMade) {
  ASSERT_OK(store_->atomically([&]() -> Result<> {
    EXPECT_EQ(begin(attempt_), Verdict::kNew);
    return store_->idempotency().set_subject(attempt_, "sandbox1");
  }));
  store_.reopen();
  ASSERT_OK(store_->idempotency().take_over());
  EXPECT_EQ(begin(attempt_), Verdict::kInterrupted);
  EXPECT_EQ(begun_->subject, "sandbox1");
  EXPECT_EQ(begin(attempt_), Verdict::kInProgress);
  ASSERT_OK(store_->idempotency().finish(attempt_, {.status = 201, .headers = "", .body = "b"}));
  EXPECT_EQ(begin(attempt_), Verdict::kReplay);
}

TEST_F(Retries, AfterACrashThatMadeNothingAreNew) {
  EXPECT_EQ(begin(attempt_), Verdict::kNew);
  ASSERT_OK(store_->idempotency().take_over());
  EXPECT_EQ(begin(attempt_), Verdict::kNew);
}

TEST_F(Retries, NeedAKeyThatIsOne) {
  for (const std::string& bad :
       {std::string(), std::string("a b"), std::string("a\n"), std::string(256, 'a'), std::string("ä")}) {
    attempt_.key = bad;
    EXPECT_THAT(store_->idempotency().begin(attempt_, at(0)), FailsWith(Code::kInvalid)) << bad;
  }
}

TEST_F(Retries, AreNotKeptWithAHugeAnswer) {
  EXPECT_EQ(begin(attempt_), Verdict::kNew);
  const Answer huge{.status = 200, .headers = "", .body = std::string(Idempotency::kMaxAnswer + 1, 'x')};
  EXPECT_THAT(store_->idempotency().finish(attempt_, huge), FailsWith(Code::kInvalid));
}

TEST_F(Retries, CannotBeAnsweredBeforeTheyBegin) {
  EXPECT_THAT(store_->idempotency().finish(attempt_, {}), FailsWith(Code::kNotFound));
  EXPECT_THAT(store_->idempotency().set_subject(attempt_, "x"), FailsWith(Code::kNotFound));
}

}  // namespace
}  // namespace store
