#include "engine/files.h"

#include <cerrno>

#include "tests/support/engine_peers.h"

namespace engine {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using test::Event;
using test::InitEnd;
using test::ScriptedSandbox;
using wire::file::Bytes;
using wire::file::Done;
using wire::file::Entries;
using wire::file::Entry;

// What a hostile worker says to whatever it is asked, again and again until the engine has enough.
Result<Done> against(const std::function<std::string(std::uint32_t stream)>& answer,
                     const wire::file::Request& request, FileObserver& observer) {
  ScriptedSandbox peer([&](InitEnd& init) {
    const auto heard = init.hear_file();
    ASSERT_TRUE(heard);
    const auto stream = init.stream;
    const std::string bytes = answer(stream);
    // The engine may have hung up in the middle.
    while (sys::write_all(init.socket(), bytes)) {
      const auto more = init.hear_file();
      if (!more || std::holds_alternative<wire::file::Cancel>(*more)) return;
    }
  });
  return Files(peer.sandbox()).call(request, observer);
}

class Counting : public FileObserver {
 public:
  Result<> bytes(std::string_view) override {
    return ++pieces > 3 ? base::fail(Code::kExhausted, "enough") : Result<>();
  }
  int pieces = 0;
};

TEST(Files, WhoeverHasEnoughCancelsTheCall) {
  Counting observer;
  const auto answer = [](std::uint32_t stream) { return wire::file::encode(stream, Bytes{.bytes = "x"}); };
  EXPECT_THAT(against(answer, wire::file::Read{.path = "/a"}, observer), FailsSaying("enough"));
  EXPECT_EQ(observer.pieces, 4);
}

TEST(Files, AnswersThatAreNoneAreRefused) {
  FileObserver nobody;
  const wire::file::Request request = wire::file::Stat{.path = "/a"};
  const auto malformed = [](std::uint32_t stream) { return wire::encode_frame(0x400, stream, "zzzz"); };
  EXPECT_THAT(against(malformed, request, nobody), FailsWith(Code::kInvalid));
  const auto other = [](std::uint32_t stream) {
    return wire::init::encode(stream, Event(wire::init::Started{}));
  };
  EXPECT_THAT(against(other, request, nobody), FailsWith(Code::kInternal));
  const auto failed = [](std::uint32_t stream) {
    return wire::init::encode(
        stream, Event(wire::init::Failed{.code = 1, .sys_errno = ENOENT, .message = "no such"}));
  };
  EXPECT_THAT(against(failed, request, nobody), FailsWith(Code::kNotFound));
}

TEST(Files, AStatWithManyAnswersIsRefused) {
  ScriptedSandbox peer([](InitEnd& init) {
    ASSERT_TRUE(init.hear_file());
    init.say_bytes(wire::file::encode(init.stream, Entries{.entries = std::vector<Entry>(2)}));
    init.say_bytes(wire::file::encode(init.stream, Done{}));
    while (init.hear_file()) {
    }
  });
  EXPECT_THAT(Files(peer.sandbox()).stat("/a"), FailsWith(Code::kInternal));
}

TEST(Files, ARequestThatNobodyWouldTakeIsNotSent) {
  ScriptedSandbox peer([](InitEnd& init) { EXPECT_FALSE(init.hear_file()); });
  Files files(peer.sandbox());
  EXPECT_THAT(files.stat("relative"), FailsWith(Code::kInvalid));
  EXPECT_THAT(files.stat(std::string("/a\0b", 4)), FailsWith(Code::kInvalid));
  EXPECT_THAT(files.stat("/" + std::string(4096, 'a')), FailsWith(Code::kInvalid));
}

TEST(Files, NoMoreIsSentThanTheWindowHas) {
  std::size_t heard = 0;
  ScriptedSandbox peer([&](InitEnd& init) {
    ASSERT_TRUE(init.hear_file());
    while (heard < wire::file::kWindow) heard += std::get<wire::file::Data>(*init.hear_file()).bytes.size();
    init.say_bytes(wire::file::encode(init.stream, wire::file::Taken{.bytes = 5}));
    // Room for five bytes is no room for a piece: the next word is the caller's end.
    init.say(init.stream, wire::init::Failed{.message = "over"});
    EXPECT_FALSE(init.hear_file());
  });
  EXPECT_THAT(Files(peer.sandbox()).write({.path = "/a"}, std::string(1 << 20, 'x')), FailsSaying("over"));
  EXPECT_EQ(heard, wire::file::kWindow);
}

TEST(Files, ADoneBeforeTheDataIsNoSuccess) {
  ScriptedSandbox peer([&](InitEnd& init) {
    ASSERT_TRUE(init.hear_file());
    init.say_bytes(wire::file::encode(init.stream, Done{}));
    while (init.hear_file()) {
    }
  });
  EXPECT_THAT(Files(peer.sandbox()).write({.path = "/a"}, std::string(1 << 20, 'x')),
              FailsWith(Code::kInternal));
}

TEST(Files, ADiskThatIsFullHasItsCause) {
  EXPECT_EQ(cause_of({Code::kExhausted, "", ENOSPC}), base::Cause::kDiskFull);
  EXPECT_EQ(cause_of({Code::kExhausted, "", EDQUOT}), base::Cause::kDiskFull);
  EXPECT_EQ(cause_of({Code::kExhausted, "", ENOMEM}), std::nullopt);
}

}  // namespace
}  // namespace engine
