#include "api/signed_urls.h"

#include <gtest/gtest.h>

namespace api {
namespace {

constexpr std::uint64_t kLater = 253'402'300'799;  // the year 9999
constexpr std::string_view kKey = "0123456789abcdef0123456789abcdef";

Grant grant() {
  return {.sandbox = "aaaa", .what = Grant::of_file("GET", "/home/user/a"), .expires = kLater};
}

TEST(SignedUrls, OpenWhatTheyWereMadeFor) {
  const std::string signature = sign(kKey, grant());
  EXPECT_EQ(signature.size(), 64U);
  EXPECT_EQ(signature.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_TRUE(is_good(kKey, grant(), signature));
}

TEST(SignedUrls, OpenNothingElse) {
  const std::string signature = sign(kKey, grant());
  const auto opens = [&](const Grant& other) { return is_good(kKey, other, signature); };
  Grant other = grant();
  other.sandbox = "bbbb";
  EXPECT_FALSE(opens(other));
  other = grant();
  other.what = Grant::of_file("PUT", "/home/user/a");
  EXPECT_FALSE(opens(other));
  other.what = Grant::of_file("GET", "/home/user/b");
  EXPECT_FALSE(opens(other));
  other = grant();
  other.expires = kLater - 1;
  EXPECT_FALSE(opens(other));
  EXPECT_FALSE(is_good("another key of thirty-two bytes, or more", grant(), signature));
}

TEST(SignedUrls, AreGoodInOneFormOnly) {
  const std::string signature = sign(kKey, grant());
  EXPECT_FALSE(is_good(kKey, grant(), ""));
  EXPECT_FALSE(is_good(kKey, grant(), signature.substr(1)));
  EXPECT_FALSE(is_good(kKey, grant(), signature + "0"));
}

TEST(SignedUrls, EndWithTheirTime) {
  Grant old = grant();
  old.expires = 1;
  EXPECT_FALSE(is_good(kKey, old, sign(kKey, old)));
}

}  // namespace
}  // namespace api
