#include "http/address.h"

#include <gtest/gtest.h>

namespace http {
namespace {

TEST(Address, ReadsWhatItWrites) {
  for (const auto* text :
       {"127.0.0.1:7717", "0.0.0.0:0", "[::1]:65535", "[::]:80", "unix:/run/cove/api.sock"}) {
    const auto address = Address::parse(text);
    ASSERT_TRUE(address.has_value()) << text;
    EXPECT_EQ(address->text(), text);
  }
  EXPECT_EQ(Address::parse("localhost:1")->text(), "127.0.0.1:1");
}

TEST(Address, RefusesWithTheReason) {
  for (const auto* text :
       {"", "7717", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:1x", "127.1:1",
        "::1:1", "[::1]", "[127.0.0.1]:1", "example.com:1", "unix:", "unix:relative"}) {
    const auto address = Address::parse(text);
    ASSERT_FALSE(address.has_value()) << text;
    EXPECT_EQ(address.error().code, base::Code::kInvalid);
    EXPECT_NE(address.error().message.find("write it like"), std::string::npos);
  }
  EXPECT_TRUE(Address::parse("unix:/" + std::string(106, 'a')));
  EXPECT_FALSE(Address::parse("unix:/" + std::string(107, 'a')));
}

TEST(Address, KnowsWhatOnlyThisMachineReaches) {
  for (const auto* text : {"127.0.0.1:1", "127.8.8.8:1", "[::1]:1", "unix:/x"})
    EXPECT_TRUE(Address::parse(text)->is_local());
  for (const auto* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1"})
    EXPECT_FALSE(Address::parse(text)->is_local());
}

}  // namespace
}  // namespace http
