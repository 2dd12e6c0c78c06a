#include "wire/file_messages.h"

#include <sys/stat.h>

#include "tests/support/result.h"

namespace wire::file {
namespace {

using base::Code;
using support::FailsWith;

Frame frame_of(const std::string& bytes) {
  FrameReader reader;
  reader.feed(bytes);
  return reader.next().value().value();
}

Entry some_entry() {
  return {.path = "a\n\xff",
          .kind = Kind::kSymlink,
          .mode = 0777,
          .uid = 1,
          .gid = 2,
          .links = 3,
          .size = 4,
          .inode = 5,
          .modified_ns = -6,
          .target = "t"};
}

std::vector<Request> every_request() {
  return {Stat{.path = "/a", .links = Links::kKeep},
          List{.path = "/", .depth = 3, .order = Order::kLargestFirst, .skip = 1, .limit = 2},
          Read{.path = "/a", .offset = 1, .length = 2},
          Write{.path = "/a", .how = How::kAppend, .parents = Parents::kMake, .offset = 7, .mode = 0644},
          Write{.path = "/a"},
          MakeDirectory{.path = "/a", .mode = 01777},
          Move{.from = "/a", .to = "/b", .existing = Existing::kRefuse},
          Remove{.path = "/a", .tree = 1},
          SetMode{.path = "/a", .mode = 07777},
          MakeSymlink{.target = "x", .path = "/a"},
          GetAttributes{.path = "/a"},
          SetAttribute{.path = "/a", .name = "user.x", .value = std::string("\0", 1)},
          RemoveAttribute{.path = "/a", .name = "user.x"},
          Pack{.path = "/a", .format = Format::kZip, .most_entries = 1, .most_bytes = 2},
          Unpack{.path = "/a", .format = Format::kTarGzip, .existing = Existing::kRefuse},
          Watch{.path = "/a", .tree = 1},
          Data{.bytes = "d"},
          Data{},
          Credit{.bytes = kWindow},
          Cancel{}};
}

std::vector<Event> every_event() {
  return {Entries{.entries = {some_entry(), some_entry()}},
          Opened{.entry = some_entry()},
          Bytes{.bytes = std::string("\0b", 2)},
          Taken{.bytes = 9},
          Attribute{.name = "user.x", .value = "v"},
          Done{.entries = 1, .bytes = 2, .skipped = 3},
          Changed{.change = Change::kOverflow, .path = "a", .is_directory = 1}};
}

TEST(FileMessages, EveryRequestSurvivesTheWay) {
  for (const Request& request : every_request()) {
    const std::string bytes = encode(42, request);
    const Frame frame = frame_of(bytes);
    EXPECT_TRUE(is_request(frame.type));
    EXPECT_FALSE(is_event(frame.type));
    ASSERT_OK_AND_ASSIGN(const auto again, decode_request(frame));
    EXPECT_EQ(again.index(), request.index());
    EXPECT_EQ(encode(42, again), bytes);
    EXPECT_OK(check(request));
  }
}

TEST(FileMessages, EveryEventSurvivesTheWay) {
  for (const Event& event : every_event()) {
    const std::string bytes = encode(42, event);
    const Frame frame = frame_of(bytes);
    EXPECT_TRUE(is_event(frame.type));
    EXPECT_EQ(is_end(frame.type), std::holds_alternative<Done>(event));
    ASSERT_OK_AND_ASSIGN(const auto again, decode_event(frame));
    EXPECT_EQ(again.index(), event.index());
    EXPECT_EQ(encode(42, again), bytes);
  }
}

TEST(FileMessages, WhatBelongsToACallOpensNone) {
  for (const Request& request : every_request()) {
    const bool belongs = std::holds_alternative<Data>(request) || std::holds_alternative<Credit>(request) ||
                         std::holds_alternative<Cancel>(request);
    EXPECT_EQ(is_opening(frame_of(encode(1, request)).type), !belongs);
  }
}

TEST(FileMessages, RequestsOutOfBoundsAreRefused) {
  const std::vector<Request> bad{Stat{.path = "relative"},
                                 Stat{.path = ""},
                                 Stat{.path = std::string("/a\0b", 4)},
                                 Stat{.path = "/" + std::string(kMaxPath, 'a')},
                                 Stat{.path = "/a", .links = Links{2}},
                                 List{.path = "/a", .depth = 0},
                                 List{.path = "/a", .order = Order{3}},
                                 Read{.path = "/a", .offset = UINT64_MAX},
                                 Write{.path = "/a", .how = How{4}},
                                 Write{.path = "/a", .mode = 010000},
                                 SetMode{.path = "/a", .mode = 0100644},
                                 MakeSymlink{.target = "", .path = "/a"},
                                 SetAttribute{.path = "/a", .name = "security.x"},
                                 SetAttribute{.path = "/a", .name = "user."},
                                 Pack{.path = "/a", .format = Format{3}},
                                 Unpack{.path = "a"},
                                 Watch{.path = "/a", .tree = 2},
                                 Credit{.bytes = kWindow + 1}};
  for (const Request& request : bad)
    EXPECT_THAT(check(request), FailsWith(Code::kInvalid)) << request.index();
}

TEST(FileMessages, EventsOutOfBoundsAreRefused) {
  Entry odd_kind = some_entry();
  odd_kind.kind = Kind{7};
  Entry odd_mode = some_entry();
  odd_mode.mode = S_IFREG;
  Entry with_nul = some_entry();
  with_nul.path = std::string("a\0b", 3);
  const std::vector<Event> bad{Opened{.entry = odd_kind},
                               Opened{.entry = odd_mode},
                               Opened{.entry = with_nul},
                               Entries{.entries = std::vector<Entry>(kMaxEntries + 1)},
                               Bytes{},
                               Bytes{.bytes = std::string(kMaxChunk + 1, 'x')},
                               Taken{.bytes = kWindow + 1},
                               Changed{.change = Change{6}},
                               Attribute{.name = "trusted.x"}};
  for (const Event& event : bad) {
    EXPECT_THAT(decode_event(frame_of(encode(1, event))), FailsWith(Code::kInvalid)) << event.index();
  }
}

}  // namespace
}  // namespace wire::file
