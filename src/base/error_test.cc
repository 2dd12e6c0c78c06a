#include "base/error.h"

#include <cerrno>
#include <memory>
#include <set>

#include "tests/support/result.h"

namespace base {
namespace {

using support::FailsSaying;
using support::FailsWith;

TEST(Error, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i) names.insert(name_of(static_cast<Code>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Code::kInternal) + 1);
}

TEST(Error, AFailedCallTellsCallReasonAndErrno) {
  const Result<> failed = failed_call("open(/x)", ENOENT);
  EXPECT_EQ(failed.error().message, "open(/x): No such file or directory");
  EXPECT_EQ(failed.error().sys_errno, ENOENT);
  EXPECT_EQ(failed.error().code, Code::kNotFound);
}

TEST(Error, ErrnoDecidesTheCode) {
  const std::pair<int, Code> cases[] = {
      {EEXIST, Code::kConflict},   {EPERM, Code::kDenied},           {EACCES, Code::kDenied},
      {ENOSPC, Code::kExhausted},  {EMFILE, Code::kExhausted},       {ETIMEDOUT, Code::kTimeout},
      {EPIPE, Code::kUnavailable}, {ECONNRESET, Code::kUnavailable}, {ENOSYS, Code::kUnsupported},
      {EINVAL, Code::kInternal},
  };
  for (const auto& [number, code] : cases) {
    const Result<> failed = failed_call("call", number);
    EXPECT_THAT(failed, FailsWith(code));
  }
}

TEST(Error, TheCurrentErrnoIsTaken) {
  errno = EBUSY;
  const Result<> failed = failed_call("rmdir(x)");
  EXPECT_EQ(failed.error().sys_errno, EBUSY);
}

TEST(Error, ContextGoesInFrontAndTheRestStays) {
  const Error error = with_context("sandbox ab12", Error{Code::kDenied, "no", EPERM});
  EXPECT_EQ(error.message, "sandbox ab12: no");
  EXPECT_EQ(error.code, Code::kDenied);
  EXPECT_EQ(error.sys_errno, EPERM);
}

Result<std::unique_ptr<int>> boxed(int value) {
  if (value < 0) return fail(Code::kInvalid, "negative");
  return std::make_unique<int>(value);
}

Result<int> sum(int a, int b) {
  ASSIGN_OR_RETURN(const auto first, boxed(a));
  ASSIGN_OR_RETURN(const auto second, boxed(b));
  RETURN_IF_ERROR(boxed(*first + *second));
  return *first + *second;
}

TEST(Error, MacrosHandValuesOnAndStopAtTheFirstError) {
  EXPECT_EQ(sum(2, 3).value(), 5);
  EXPECT_THAT(sum(-1, 3), FailsSaying("negative"));
  EXPECT_THAT(sum(1, -3), FailsWith(Code::kInvalid));
}

}  // namespace
}  // namespace base
