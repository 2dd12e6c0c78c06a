// What tests say about a base::Result: that it succeeded, or how it failed.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

#define ASSERT_OK(expr) ASSERT_TRUE(support::succeeded(expr))
#define EXPECT_OK(expr) EXPECT_TRUE(support::succeeded(expr))
// In a function returning void: a variable that holds the value, or the end of the test.
#define ASSERT_OK_AND_ASSIGN(decl, expr) ASSERT_OK_AND_ASSIGN_(BASE_CAT(r_, __COUNTER__), decl, expr)
#define ASSERT_OK_AND_ASSIGN_(tmp, decl, expr) \
  auto tmp = (expr);                           \
  ASSERT_TRUE(support::succeeded(tmp));        \
  decl = *std::move(tmp)

namespace support {

template <class T>
testing::AssertionResult succeeded(const base::Result<T>& result) {
  if (result) return testing::AssertionSuccess();
  return testing::AssertionFailure() << base::name_of(result.error().code) << ": " << result.error().message;
}

MATCHER_P(FailsWith, code, "fails with " + std::string(base::name_of(code))) {
  if (arg) {
    *result_listener << "which succeeded";
    return false;
  }
  *result_listener << "which failed with " << base::name_of(arg.error().code) << ": " << arg.error().message;
  return arg.error().code == code;
}

MATCHER_P(FailsWithErrno, number, "fails with errno " + std::to_string(number)) {
  if (arg) {
    *result_listener << "which succeeded";
    return false;
  }
  *result_listener << "which failed with errno " << arg.error().sys_errno << ": " << arg.error().message;
  return arg.error().sys_errno == number;
}

MATCHER_P(FailsSaying, words, "fails with a message that has '" + std::string(words) + "'") {
  if (arg) {
    *result_listener << "which succeeded";
    return false;
  }
  *result_listener << "which says: " << arg.error().message;
  return arg.error().message.find(words) != std::string::npos;
}

}  // namespace support
