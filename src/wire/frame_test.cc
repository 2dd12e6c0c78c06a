#include "wire/frame.h"

#include <vector>

#include "tests/support/result.h"
#include "wire/bytes.h"

namespace wire {
namespace {

using support::FailsWith;
using testing::ElementsAre;

std::vector<std::string> payloads(FrameReader& reader) {
  std::vector<std::string> out;
  while (true) {
    auto frame = reader.next();
    if (!frame || !*frame) return out;
    out.push_back((*frame)->payload);
  }
}

std::string header(std::uint32_t size) {
  Writer writer;
  for (const std::uint32_t value : {size, 1U, 1U}) writer.u32(value);
  return writer.take();
}

TEST(FrameReader, AFrameComesOutAsItWentIn) {
  FrameReader reader;
  reader.feed(encode_frame(7, 0xfffffffe, std::string_view("a\0b", 3)));
  ASSERT_OK_AND_ASSIGN(const auto frame, reader.next());
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->type, 7U);
  EXPECT_EQ(frame->stream, 0xfffffffeU);
  EXPECT_EQ(frame->payload, std::string("a\0b", 3));
}

TEST(FrameReader, BytesMayComeOneByOne) {
  FrameReader reader;
  const std::string bytes =
      encode_frame(1, 1, "first") + encode_frame(1, 1, "") + encode_frame(1, 1, "third");
  std::vector<std::string> seen;
  for (const char byte : bytes) {
    reader.feed({&byte, 1});
    for (auto& payload : payloads(reader)) seen.push_back(std::move(payload));
  }
  EXPECT_THAT(seen, ElementsAre("first", "", "third"));
}

TEST(FrameReader, ManyFramesMayComeAtOnce) {
  FrameReader reader;
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += encode_frame(1, 1, std::to_string(i));
  reader.feed(bytes + "incomplete");
  const auto seen = payloads(reader);
  ASSERT_EQ(seen.size(), 1000U);
  EXPECT_EQ(seen.back(), "999");
}

TEST(FrameReader, NothingIsGivenOutBeforeItIsWhole) {
  FrameReader reader;
  const std::string bytes = encode_frame(1, 1, "payload");
  reader.feed(bytes.substr(0, bytes.size() - 1));
  ASSERT_OK_AND_ASSIGN(const auto frame, reader.next());
  EXPECT_FALSE(frame);
}

TEST(FrameReader, TheLargestFrameIsTaken) {
  FrameReader reader;
  reader.feed(encode_frame(1, 1, std::string(kMaxFramePayload, 'x')));
  const auto seen = payloads(reader);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].size(), kMaxFramePayload);
}

TEST(FrameReader, ALargerOneIsRefusedByItsHeaderAlone) {
  for (const std::uint32_t size : {static_cast<std::uint32_t>(kMaxFramePayload) + 1, 0xffffffffU}) {
    FrameReader reader;
    reader.feed(header(size));
    EXPECT_THAT(reader.next(), FailsWith(base::Code::kInvalid));
    EXPECT_THAT(reader.next(), FailsWith(base::Code::kInvalid)) << "and stays refused";
  }
}

TEST(Reader, WhatIsNotThereReadsAsZeroAndIsRemembered) {
  Reader reader("ab");
  EXPECT_EQ(reader.u64(), 0U);
  EXPECT_EQ(reader.u8(), 0U) << "nothing is read after the first failure";
  EXPECT_FALSE(reader.finished());
}

TEST(Reader, LeftoverBytesAreNotFinished) {
  Reader reader("ab");
  EXPECT_EQ(reader.u8(), 'a');
  EXPECT_FALSE(reader.finished());
  EXPECT_EQ(reader.u8(), 'b');
  EXPECT_TRUE(reader.finished());
}

TEST(Reader, ALengthBeyondTheBytesOrTheLimitIsBad) {
  Writer writer;
  writer.text("hello");
  const std::string bytes = writer.take();
  EXPECT_EQ(Reader(bytes).text(5), "hello");
  Reader limited(bytes);
  EXPECT_EQ(limited.text(4), "");
  EXPECT_FALSE(limited.finished());
  Reader cut(std::string_view(bytes).substr(0, bytes.size() - 1));
  EXPECT_EQ(cut.text(5), "");
  EXPECT_FALSE(cut.finished());
}

TEST(Reader, ACTextHasNoNul) {
  Writer writer;
  writer.text(std::string_view("a\0b", 3));
  const std::string bytes = writer.take();
  Reader reader(bytes);
  EXPECT_EQ(reader.c_text(100), "");
  EXPECT_FALSE(reader.finished());
}

TEST(Reader, ALyingCountCostsNothing) {
  Writer writer;
  writer.u32(0xffffffff);
  const std::string bytes = writer.take();
  Reader reader(bytes);
  EXPECT_TRUE(reader.c_texts(16, 16).empty());
  EXPECT_FALSE(reader.finished());
  Reader generous(bytes);
  EXPECT_EQ(generous.c_texts(0xffffffff, 16).size(), 1U) << "stops at the first text that is not there";
  EXPECT_FALSE(generous.finished());
}

}  // namespace
}  // namespace wire
