#include "wire/spawner_messages.h"

#include <string>
#include <vector>

#include "tests/support/result.h"

namespace wire::spawner {
namespace {

using support::FailsSaying;
using support::FailsWith;

template <class Message>
std::vector<std::byte> bytes_of(const Message& message) {
  const auto packet = packet_of(message);
  return {packet.begin(), packet.end()};
}

Create full_create() {
  Create create;
  create.root.set(std::string(64, 'a'));
  create.mode = Mode::kRoot;
  create.memory_bytes = 1 << 30;
  create.disk_bytes = 1 << 29;
  create.cpu_millis = 1500;
  create.max_pids = 256;
  create.workspace_access = Access::kReadOnly;
  create.workspace.set("/srv/data");
  return create;
}

TEST(SpawnerText, HoldsWhatFitsAndCutsTheRest) {
  Text<8> text;
  text.set("1234567");
  EXPECT_EQ(text.view(), "1234567");
  text.set("12345678");
  EXPECT_EQ(text.view(), "1234567");
  text.set("a");
  EXPECT_EQ(text.view(), "a");
  EXPECT_TRUE(text.well_formed()) << "nothing of an earlier value stays behind the end";
}

TEST(SpawnerText, MustEndWithinItsFieldAndHideNothing) {
  Text<4> text;
  text.bytes = {'a', 'b', 'c', 'd'};
  EXPECT_FALSE(text.well_formed());
  EXPECT_EQ(text.view().size(), 4U) << "and is never read beyond it";
  text.bytes = {'a', '\0', 'c', '\0'};
  EXPECT_FALSE(text.well_formed());
}

TEST(SpawnerMessages, AnErrandForAZygoteNamesWhatItIsAbout) {
  EnterContext enter;
  enter.sandbox.set("abcdefghijkmnpqr");
  EXPECT_THAT(decode_request(packet_of(enter)), FailsWith(base::Code::kInvalid)) << "no stream";
  enter.stream = 0xffff'ffff;
  EXPECT_THAT(decode_request(packet_of(enter)), FailsWith(base::Code::kInvalid))
      << "nobody's but the spawner's";
  enter.stream = 3;
  ASSERT_OK_AND_ASSIGN(const auto request, decode_request(packet_of(enter)));
  EXPECT_EQ(std::get<EnterContext>(request).stream, 3U);
  enter.language = static_cast<Language>(1);
  EXPECT_THAT(decode_request(packet_of(enter)), FailsWith(base::Code::kInvalid));
  Warm warm;
  warm.digest.set("aa");
  ASSERT_OK_AND_ASSIGN(const auto other, decode_request(packet_of(warm)));
  EXPECT_EQ(std::get<Warm>(other).digest.view(), "aa");
  warm.reserved = 1;
  EXPECT_THAT(decode_request(packet_of(warm)), FailsWith(base::Code::kInvalid));
}

TEST(SpawnerMessages, ACreateArrivesAsItWasSent) {
  const Create create = full_create();
  ASSERT_OK_AND_ASSIGN(const auto request, decode_request(packet_of(create)));
  const auto& again = std::get<Create>(request);
  EXPECT_EQ(bytes_of(again), bytes_of(create));
  EXPECT_EQ(again.workspace.view(), "/srv/data");
  EXPECT_EQ(again.cpu_millis, 1500U);
}

TEST(SpawnerMessages, EachRequestIsKnownByItsType) {
  Destroy destroy;
  destroy.sandbox.set("abcdefghijkmnpqr");
  RetireTemplate retire;
  retire.digest.set(std::string(64, 'f'));
  EXPECT_TRUE(std::holds_alternative<Destroy>(decode_request(packet_of(destroy)).value()));
  EXPECT_TRUE(std::holds_alternative<RetireTemplate>(decode_request(packet_of(retire)).value()));
  EXPECT_TRUE(std::holds_alternative<Status>(decode_request(packet_of(Status{})).value()));
  EXPECT_TRUE(std::holds_alternative<Stop>(decode_request(packet_of(Stop{})).value()));
}

TEST(SpawnerMessages, APacketHasExactlyItsSize) {
  auto bytes = bytes_of(full_create());
  bytes.push_back(std::byte{0});
  EXPECT_THAT(decode_request(bytes), FailsWith(base::Code::kInvalid));
  while (!bytes.empty()) {
    bytes.pop_back();
    if (bytes.size() == sizeof(Create)) continue;
    EXPECT_THAT(decode_request(bytes), FailsWith(base::Code::kInvalid)) << bytes.size();
  }
}

TEST(SpawnerMessages, StrangersAndOtherVersionsAreTurnedAway) {
  Status stranger;
  stranger.header.magic = 0;
  EXPECT_THAT(decode_request(packet_of(stranger)), FailsSaying("not a spawner packet"));
  Status newer;
  newer.header.version = kVersion + 1;
  EXPECT_THAT(decode_request(packet_of(newer)), FailsSaying("restart the older side"));
  Status reserved;
  reserved.header.reserved = 1;
  EXPECT_THAT(decode_request(packet_of(reserved)), FailsWith(base::Code::kInvalid));
  for (const std::uint32_t type : {0U, 8U, 0xffffffffU}) {
    Status unknown;
    unknown.header.type = static_cast<Type>(type);
    EXPECT_THAT(decode_request(packet_of(unknown)), FailsWith(base::Code::kInvalid));
  }
}

TEST(SpawnerMessages, EnumeratorsAndTextsOutOfRangeAreRefused) {
  std::vector<Create> bad(7, full_create());
  bad[0].root_kind = static_cast<RootKind>(2);
  bad[1].mode = static_cast<Mode>(2);
  bad[2].workspace_access = static_cast<Access>(3);
  bad[3].root.bytes.fill('a');
  bad[4].workspace.bytes.back() = 'x';
  bad[5].furniture = static_cast<Furniture>(2);
  bad[6].reserved = 1;
  for (const Create& create : bad)
    EXPECT_THAT(decode_request(packet_of(create)), FailsWith(base::Code::kInvalid));
  std::vector<Destroy> endless(3);
  endless[0].sandbox.bytes.fill('a');
  endless[1].until = static_cast<Until>(2);
  endless[2].reserved = 1;
  for (const Destroy& destroy : endless)
    EXPECT_THAT(decode_request(packet_of(destroy)), FailsWith(base::Code::kInvalid));
}

Reply full_reply() {
  Reply reply;
  reply.ok = 1;
  reply.sandbox.set("abcdefghijkmnpqr");
  reply.socket.set("/run/cove/sandboxes/abcdefghijkmnpqr.sock");
  reply.step_count = kMaxSteps;
  reply.ended_as = EndedAs::kOutOfMemory;
  for (StepTime& step : reply.steps) {
    step.name.set("join limits");
    step.microseconds = 12;
  }
  return reply;
}

TEST(SpawnerMessages, AReplyArrivesAsItWasSent) {
  const Reply reply = full_reply();
  ASSERT_OK_AND_ASSIGN(const auto again, decode_reply(packet_of(reply)));
  EXPECT_EQ(bytes_of(again), bytes_of(reply));
}

TEST(SpawnerMessages, AReplyOutOfRangeIsRefused) {
  std::vector<Reply> bad(8, full_reply());
  bad[0].step_count = kMaxSteps + 1;
  bad[1].code = static_cast<std::uint32_t>(base::Code::kInternal) + 1;
  bad[2].message.bytes.fill('a');
  bad[3].socket.bytes.fill('a');
  bad[4].steps[kMaxSteps - 1].name.bytes.fill('a');
  bad[5].ok = 2;
  bad[6].ended_as = static_cast<EndedAs>(2);
  bad[7].reserved = 1;
  for (const Reply& reply : bad) EXPECT_THAT(decode_reply(packet_of(reply)), FailsWith(base::Code::kInvalid));
}

}  // namespace
}  // namespace wire::spawner
