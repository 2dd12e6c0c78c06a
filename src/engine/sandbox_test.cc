#include "engine/sandbox.h"

#include <signal.h>

#include <cerrno>
#include <set>

#include "tests/support/engine_peers.h"

namespace engine {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using support::Instance;
using support::ScriptedPeer;
using test::InitEnd;
using test::ScriptedSandbox;

TEST(Sandbox, EveryOptionReachesTheSpawnerAndWhatItMadeComesBack) {
  const auto instance = Instance::make().value();
  const std::string path = instance.paths().sandboxes + "/s.sock";
  wire::spawner::Create seen;
  ScriptedPeer init(path, SOCK_STREAM, [](int socket) { InitEnd(socket).say(0, wire::init::Hello{}); });
  ScriptedPeer spawner(instance.paths().spawner_socket, SOCK_SEQPACKET, [&](int socket) {
    seen = std::get<wire::spawner::Create>(test::take_request(socket));
    test::answer(socket, test::good_reply(path));
  });
  auto client = SpawnerClient::connect(instance.paths()).value();
  const SandboxOptions options{.root = "digest",
                               .root_kind = wire::spawner::RootKind::kBuild,
                               .mode = wire::spawner::Mode::kRoot,
                               .memory_bytes = 1,
                               .disk_bytes = 2,
                               .cpu_millis = 3,
                               .max_pids = 4,
                               .workspace_access = wire::spawner::Access::kReadOnly,
                               .workspace = "/srv",
                               .weaken = 5};
  ASSERT_OK_AND_ASSIGN(const auto sandbox, Sandbox::create(client, options));
  spawner.finish();
  EXPECT_EQ(seen.root.view(), "digest");
  EXPECT_EQ(seen.root_kind, options.root_kind);
  EXPECT_EQ(seen.mode, options.mode);
  EXPECT_EQ(seen.memory_bytes, 1U);
  EXPECT_EQ(seen.disk_bytes, 2U);
  EXPECT_EQ(seen.cpu_millis, 3U);
  EXPECT_EQ(seen.max_pids, 4U);
  EXPECT_EQ(seen.workspace_access, options.workspace_access);
  EXPECT_EQ(seen.workspace.view(), "/srv");
  EXPECT_EQ(seen.weaken, 5U);
  EXPECT_EQ(sandbox.id(), "abcdefghijkmnpqr");
  EXPECT_EQ(sandbox.seccomp(), "5ecc");
  ASSERT_EQ(sandbox.setup().size(), 1U);
  EXPECT_EQ(sandbox.setup()[0].name, "join limits");
  EXPECT_EQ(sandbox.setup()[0].time, std::chrono::microseconds(17));
}

// Creates a sandbox whose init says this first.
Result<Sandbox> greeted_with(const test::Event& first) {
  const auto instance = Instance::make().value();
  const std::string path = instance.paths().sandboxes + "/s.sock";
  const ScriptedPeer init(path, SOCK_STREAM, [&](int socket) { InitEnd(socket).say(0, first); });
  const ScriptedPeer spawner(instance.paths().spawner_socket, SOCK_SEQPACKET, [&](int socket) {
    (void)test::take_request(socket);
    test::answer(socket, test::good_reply(path));
  });
  auto client = SpawnerClient::connect(instance.paths()).value();
  return Sandbox::create(client, {});
}

TEST(Sandbox, AnInitOfAnotherVersionIsRefused) {
  EXPECT_OK(greeted_with(wire::init::Hello{}));
  EXPECT_THAT(greeted_with(wire::init::Hello{.version = wire::init::kVersion + 1}),
              FailsWith(Code::kUnsupported));
  EXPECT_THAT(greeted_with(wire::init::Done{}), FailsWith(Code::kUnsupported));
}

TEST(Sandbox, AnInitThatCannotServeSaysWhy) {
  EXPECT_THAT(greeted_with(wire::init::Failed{.message = "init: filter: pread: no memory"}),
              FailsSaying("init: filter: pread: no memory"));
}

TEST(Sandbox, AWorkspacePathThatWouldBeCutIsRefused) {
  const auto instance = Instance::make().value();
  ScriptedPeer spawner(instance.paths().spawner_socket, SOCK_SEQPACKET, [](int) {});
  auto client = SpawnerClient::connect(instance.paths()).value();
  EXPECT_THAT(Sandbox::create(client, {.workspace = "/" + std::string(4095, 'x')}),
              FailsWith(Code::kInvalid));
}

TEST(Sandbox, AFileIsPutWithItsModeAndBytes) {
  ScriptedSandbox scripted([](InitEnd& init) {
    const auto file = std::get<wire::init::PutFile>(init.hear().value());
    EXPECT_EQ(file.path, "/home/user/f");
    EXPECT_EQ(file.mode, 0600U);
    EXPECT_EQ(file.bytes, "text");
    init.say(init.stream, wire::init::Done{});
  });
  EXPECT_OK(scripted.sandbox().put_file("/home/user/f", "text", 0600));
}

TEST(Sandbox, AFileThatCannotBeWrittenIsToldWithItsReason) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, wire::init::Failed{.code = static_cast<std::uint32_t>(Code::kDenied),
                                             .sys_errno = EACCES,
                                             .message = "write(/f): no"});
  });
  EXPECT_THAT(scripted.sandbox().put_file("/f", "text", 0600), FailsSaying("write(/f): no"));
}

TEST(Sandbox, AFileThatInitWouldNotTakeIsNotSent) {
  ScriptedSandbox scripted([](InitEnd& init) { EXPECT_FALSE(init.hear()); });
  const std::string large(wire::init::kMaxFileBytes + 1, 'x');
  EXPECT_THAT(scripted.sandbox().put_file("/f", large, 0600), FailsWith(Code::kInvalid));
}

TEST(Sandbox, AnAnswerThatIsNoneIsAnError) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, wire::init::Started{});
  });
  EXPECT_THAT(scripted.sandbox().put_file("/f", "", 0600), FailsWith(Code::kInternal));
}

TEST(Sandbox, DestroyingWhatEndedByItselfIsFine) {
  for (const auto& [code, fine] : {std::pair(Code::kNotFound, true), std::pair(Code::kInternal, false)}) {
    ScriptedSandbox scripted([](InitEnd&) {});
    const auto instance = Instance::make().value();
    ScriptedPeer spawner(instance.paths().spawner_socket, SOCK_SEQPACKET, [&](int socket) {
      EXPECT_EQ(std::get<wire::spawner::Destroy>(test::take_request(socket)).sandbox.view(),
                "abcdefghijkmnpqr");
      test::answer(socket, test::bad_reply(code, "why"));
    });
    auto client = SpawnerClient::connect(instance.paths()).value();
    EXPECT_EQ(scripted.sandbox().destroy(client).has_value(), fine);
  }
}

TEST(Sandbox, WhyItEndedByItselfIsToldByTheSpawner) {
  using wire::spawner::EndedAs;
  for (const auto known : {EndedAs::kUnknown, EndedAs::kOutOfMemory}) {
    ScriptedSandbox scripted([](InitEnd& init) { (void)init.hear(); });
    const auto instance = Instance::make().value();
    ScriptedPeer spawner(instance.paths().spawner_socket, SOCK_SEQPACKET, [&](int socket) {
      (void)test::take_request(socket);
      test::answer(socket, wire::spawner::Reply{.ok = 1, .ended_as = known});
    });
    auto client = SpawnerClient::connect(instance.paths()).value();
    ASSERT_OK_AND_ASSIGN(const auto ended_as, scripted.sandbox().destroy(client));
    EXPECT_EQ(ended_as, known);
  }
}

TEST(Outcome, OnlyOneWithoutACauseOfItsOwnIsExplainedByTheSandboxsEnd) {
  using base::Cause;
  using wire::spawner::EndedAs;
  const auto lost = explained({}, EndedAs::kOutOfMemory);
  EXPECT_EQ(lost.cause, Cause::kOutOfMemory);
  EXPECT_EQ(lost.signal, SIGKILL);
  EXPECT_EQ(lost.limits_hit, base::bit(base::Limit::kMemory));
  EXPECT_EQ(explained({}, EndedAs::kUnknown).cause, Cause::kSandboxEnded);
  const auto fine = explained({.cause = Cause::kOk}, EndedAs::kOutOfMemory);
  EXPECT_EQ(fine.cause, Cause::kOk);
  EXPECT_EQ(fine.limits_hit, 0U);
}

TEST(BaseEnvironment, EveryVariableIsThereOnce) {
  for (const auto user : {wire::init::User::kUser, wire::init::User::kRoot}) {
    std::set<std::string> names;
    for (const std::string& entry : base_environment(user, {})) {
      EXPECT_TRUE(names.insert(entry.substr(0, entry.find('='))).second) << entry;
    }
    EXPECT_THAT(names, testing::IsSupersetOf({"PATH", "HOME", "USER", "SHELL", "LANG", "JAVA_TOOL_OPTIONS",
                                              "NODE_OPTIONS", "GOMEMLIMIT"}));
  }
  EXPECT_THAT(base_environment(wire::init::User::kRoot, {}), testing::Contains("HOME=/root"));
}

}  // namespace
}  // namespace engine
