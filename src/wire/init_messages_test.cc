#include "wire/init_messages.h"

#include "tests/support/result.h"
#include "wire/bytes.h"

namespace wire::init {
namespace {

using support::FailsWith;

Frame frame_of(const std::string& bytes) {
  FrameReader reader;
  reader.feed(bytes);
  auto frame = reader.next();
  EXPECT_TRUE(frame && *frame);
  return **std::move(frame);
}

Start small_start() {
  return {.argv = {"python3", "-c", "print(1)"},
          .environment = {"PATH=/bin", "EMPTY="},
          .cwd = "/home/user",
          .user = User::kRoot,
          .input = Stdin::kStream,
          .deadline_ms = 60'000,
          .grace_ms = 2'000,
          .output_cap = 10 << 20};
}

Start start_on_terminal() {
  Start start = small_start();
  start.terminal = Window{.rows = 65535, .columns = 1};
  return start;
}

std::vector<Request> every_request() {
  return {small_start(),
          start_on_terminal(),
          Resize{.window = {.rows = 0, .columns = 65535}},
          Input{.bytes = std::string("a\0b", 3)},
          Input{},
          Signal{.number = 64},
          PutFile{.path = "/home/user/x", .mode = 0644, .bytes = "text"},
          StartContext{.argv = {"python3"}, .environment = {"A=b"}, .cwd = "/", .user = User::kUser},
          Execute{.number = 1, .deadline_ms = 2, .grace_ms = 3, .output_cap = 4, .payload = "{}"},
          Acknowledge{.number = 1ULL << 40},
          Stay{},
          List{},
          Attach{.after = 1ULL << 41},
          ExpectContext{.environment = {"A=b"}, .cwd = "/"},
          AskUsed{}};
}

std::vector<Event> every_event() {
  const Usage usage{.wall_us = 1,
                    .cpu_us = 2,
                    .peak_memory_bytes = 3,
                    .stdout_bytes = 4,
                    .stderr_bytes = 5,
                    .dropped_bytes = 6};
  return {
      Hello{},
      Started{.pid = 7},
      Output{.channel = Channel::kStderr, .offset = 1ULL << 40, .bytes = "out"},
      Ended{.cause = base::kLastCause, .exit_code = 255, .signal = 64, .limits_hit = 31, .usage = usage},
      Failed{.code = static_cast<std::uint32_t>(base::Code::kInternal), .sys_errno = -1, .message = "why"},
      Done{},
      InputTaken{.bytes = kInputWindow},
      Said{{.verb = runtime::Verb::kDone, .execution = 3, .total = 9, .offset = 4, .bytes = "piece"}},
      Wrote{.execution = 3, .output = {.channel = Channel::kStdout, .offset = 5, .bytes = "text"}},
      Executed{.execution = 3, .end = {.cause = base::Cause::kTimeout, .usage = usage}},
      Found{.kind = Kind::kContext,
            .state = State::kEnded,
            .pid = 2,
            .started_us = 1ULL << 50,
            .argv = {"python3", ""},
            .execution = 4,
            .acknowledged = 5,
            .last = 6,
            .stdout_bytes = 7,
            .stderr_bytes = 8,
            .input_received = 10,
            .input_taken = 9},
      Used{.cpu_us = 1ULL << 50}};
}

TEST(InitMessages, EveryRequestSurvivesTheWayAndKeepsItsStream) {
  for (const Request& request : every_request()) {
    const std::string bytes = encode(42, request);
    const Frame frame = frame_of(bytes);
    EXPECT_EQ(frame.stream, 42U);
    ASSERT_OK_AND_ASSIGN(const auto again, decode_request(frame));
    EXPECT_EQ(again.index(), request.index());
    EXPECT_EQ(encode(42, again), bytes);
  }
}

TEST(InitMessages, EveryEventSurvivesTheWay) {
  for (const Event& event : every_event()) {
    const std::string bytes = encode(42, event);
    ASSERT_OK_AND_ASSIGN(const auto again, decode_event(frame_of(bytes)));
    EXPECT_EQ(again.index(), event.index());
    EXPECT_EQ(encode(42, again), bytes);
  }
}

TEST(InitMessages, ATerminalWithoutInputIsMalformed) {
  Start start = start_on_terminal();
  EXPECT_OK(check(start));
  start.input = Stdin::kClosed;
  EXPECT_THAT(check(start), FailsWith(base::Code::kInvalid));
}

TEST(InitMessages, AnImpossibleFindIsMalformed) {
  for (const Found& found :
       {Found{.acknowledged = 2, .last = 1}, Found{.input_received = 1, .input_taken = 2},
        Found{.input_received = kInputWindow + 1},
        Found{.argv = std::vector<std::string>(kMaxListedArguments + 1, "x")},
        Found{.argv = {std::string(kMaxListedArgument + 1, 'x')}}}) {
    EXPECT_THAT(decode_event(frame_of(encode(1, Event(found)))), FailsWith(base::Code::kInvalid));
  }
  EXPECT_THAT(decode_event(frame_of(encode(1, Event(Hello{.last_stream = kLastStream + 1})))),
              FailsWith(base::Code::kInvalid));
}

TEST(InitMessages, FieldsArriveWhereTheyBelong) {
  ASSERT_OK_AND_ASSIGN(const auto request, decode_request(frame_of(encode(1, Request(small_start())))));
  const auto& start = std::get<Start>(request);
  EXPECT_THAT(start.argv, testing::ElementsAre("python3", "-c", "print(1)"));
  EXPECT_THAT(start.environment, testing::ElementsAre("PATH=/bin", "EMPTY="));
  EXPECT_EQ(start.user, User::kRoot);
  EXPECT_EQ(start.input, Stdin::kStream);
  EXPECT_EQ(start.grace_ms, 2'000U);
  ASSERT_OK_AND_ASSIGN(const auto event, decode_event(frame_of(encode(1, every_event()[3]))));
  EXPECT_EQ(std::get<Ended>(event).usage.dropped_bytes, 6U);
}

TEST(InitMessages, ARequestIsNoEventAndTheOtherWayRound) {
  for (const Request& request : every_request()) {
    EXPECT_THAT(decode_event(frame_of(encode(1, request))), FailsWith(base::Code::kInvalid));
  }
  for (const Event& event : every_event()) {
    EXPECT_THAT(decode_request(frame_of(encode(1, event))), FailsWith(base::Code::kInvalid));
  }
}

TEST(InitMessages, ACutOrLengthenedMessageIsRefused) {
  for (const Event& event : every_event()) {
    Frame frame = frame_of(encode(1, event));
    const std::string whole = frame.payload;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      frame.payload = whole.substr(0, size);
      EXPECT_THAT(decode_event(frame), FailsWith(base::Code::kInvalid)) << event.index() << " at " << size;
    }
    frame.payload = whole + "x";
    EXPECT_THAT(decode_event(frame), FailsWith(base::Code::kInvalid)) << event.index();
  }
}

TEST(InitMessages, UnknownTypesAreRefused) {
  for (const std::uint32_t type : {0U, 1U, 0xffU, 0x104U, 0x1ffU, 0x207U, 0xffffffffU}) {
    const Frame frame{.type = type};
    EXPECT_THAT(decode_request(frame), FailsWith(base::Code::kInvalid)) << type;
    EXPECT_THAT(decode_event(frame), FailsWith(base::Code::kInvalid)) << type;
  }
}

TEST(InitMessages, ValuesOutOfRangeAreRefused) {
  Start no_program = small_start();
  no_program.argv.clear();
  Start strange_user = small_start();
  strange_user.user = static_cast<User>(2);
  Start strange_input = small_start();
  strange_input.input = static_cast<Stdin>(2);
  Start nul_in_argument = small_start();
  nul_in_argument.argv[2] = std::string("a\0b", 3);
  Start far_directory = small_start();
  far_directory.cwd = std::string(4097, 'x');
  Start crowd = small_start();
  crowd.environment.assign(kMaxStrings + 1, "");
  const Request bad[] = {no_program,
                         strange_user,
                         strange_input,
                         nul_in_argument,
                         far_directory,
                         crowd,
                         Input{.bytes = std::string(kMaxChunk + 1, 'x')},
                         Signal{.number = 0},
                         Signal{.number = 65},
                         PutFile{.path = "/x", .mode = 04755},
                         PutFile{.path = std::string("/x\0", 3)},
                         PutFile{.path = "/x", .bytes = std::string(kMaxFileBytes + 1, 'x')}};
  for (const Request& request : bad) {
    EXPECT_THAT(decode_request(frame_of(encode(1, request))), FailsWith(base::Code::kInvalid))
        << request.index();
  }
}

TEST(InitMessages, AHostileInitCannotInventValues) {
  const Event bad[] = {Output{.channel = static_cast<Channel>(0)},
                       Output{.channel = static_cast<Channel>(3)},
                       Output{.bytes = std::string(kMaxChunk + 1, 'x')},
                       Ended{.cause = static_cast<base::Cause>(static_cast<int>(base::kLastCause) + 1)},
                       Ended{.exit_code = 256},
                       Ended{.signal = 65},
                       Failed{.code = static_cast<std::uint32_t>(base::Code::kInternal) + 1},
                       Failed{.message = std::string(kMaxMessage + 1, 'x')},
                       InputTaken{.bytes = kInputWindow + 1}};
  for (const Event& event : bad) {
    EXPECT_THAT(decode_event(frame_of(encode(1, event))), FailsWith(base::Code::kInvalid)) << event.index();
  }
}

// What the engine checks before it sends: a refusal with a reason instead of a sandbox that hangs up.
TEST(CheckStart, AcceptsExactlyWhatInitAccepts) {
  Start start = small_start();
  start.argv.assign(kMaxStrings, "x");
  EXPECT_OK(check(start));
  EXPECT_OK(decode_request(frame_of(encode(1, Request(start)))));
  start.argv.emplace_back("one more");
  EXPECT_THAT(check(start), FailsWith(base::Code::kInvalid));
}

TEST(CheckStart, RefusesWhatInitWouldHangUpOn) {
  Start none = small_start();
  none.argv.clear();
  Start long_argument = small_start();
  long_argument.argv.emplace_back(kMaxString + 1, 'x');
  Start nul = small_start();
  nul.environment.emplace_back("A=\0B", 4);
  Start directory = small_start();
  directory.cwd.assign(kMaxPath + 1, 'x');
  Start heavy = small_start();
  heavy.environment.assign(40, std::string(kMaxString, 'x'));
  for (const Start& start : {none, long_argument, nul, directory, heavy}) {
    EXPECT_THAT(check(start), FailsWith(base::Code::kInvalid));
  }
}

}  // namespace
}  // namespace wire::init
