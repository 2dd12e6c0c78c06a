#include "wire/zygote_messages.h"

#include <gtest/gtest.h>

#include <cstring>

namespace wire::zygote {
namespace {

template <class Message>
std::span<const std::byte> bytes(const Message& message) {
  return std::as_bytes(std::span(&message, 1));
}

TEST(ZygoteMessages, WhatIsSaidComesBackAsItWas) {
  Said said{.word = Word::kFailed, .sys_errno = 13, .text = "enter mounts"};
  Said out;
  ASSERT_TRUE(is_sound(bytes(said), out));
  EXPECT_EQ(std::memcmp(&said, &out, sizeof said), 0);
}

TEST(ZygoteMessages, WhatIsNoWordOrHasNoEndIsRefused) {
  Said out;
  for (const std::uint32_t word : {0U, 7U, 0xffffffffU}) {
    EXPECT_FALSE(is_sound(bytes(Said{.word = static_cast<Word>(word)}), out)) << word;
  }
  Said endless;
  std::memset(endless.text, 'x', sizeof endless.text);
  EXPECT_FALSE(is_sound(bytes(endless), out));
  EXPECT_FALSE(is_sound(bytes(Said{.magic = 1}), out));
  EXPECT_FALSE(is_sound(bytes(Said{}).first(sizeof(Said) - 1), out));
}

TEST(ZygoteMessages, AKnockNamesAContext) {
  Knock out;
  EXPECT_TRUE(is_sound(bytes(Knock{.stream = 4}), out));
  EXPECT_EQ(out.stream, 4U);
  EXPECT_FALSE(is_sound(bytes(Knock{}), out));
  EXPECT_FALSE(is_sound(bytes(Knock{.magic = 1, .stream = 4}), out));
  EXPECT_FALSE(is_sound({}, out));
}

}  // namespace
}  // namespace wire::zygote
