#include "engine/spawner_client.h"

#include "tests/support/engine_peers.h"

namespace engine {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using support::Instance;
using support::ScriptedPeer;
using test::answer;
using test::bad_reply;
using test::take_request;

TEST(SpawnerClient, NobodyServingIsNotFound) {
  const auto instance = Instance::make().value();
  EXPECT_THAT(SpawnerClient::connect(instance.paths()), FailsWith(Code::kNotFound));
}

TEST(SpawnerClient, ARequestHasItsReply) {
  const auto instance = Instance::make().value();
  ScriptedPeer spawner(instance.paths().spawner_socket, SOCK_SEQPACKET, [](int socket) {
    EXPECT_TRUE(std::holds_alternative<wire::spawner::Status>(take_request(socket)));
    wire::spawner::Reply reply;
    reply.ok = 1;
    reply.sandboxes = 3;
    answer(socket, reply);
  });
  ASSERT_OK_AND_ASSIGN(auto client, SpawnerClient::connect(instance.paths()));
  ASSERT_OK_AND_ASSIGN(const auto reply, client.call(wire::spawner::Status{}));
  EXPECT_EQ(reply.sandboxes, 3U);
}

TEST(SpawnerClient, AFailureArrivesWithItsCodeAndWords) {
  const auto instance = Instance::make().value();
  ScriptedPeer spawner(instance.paths().spawner_socket, SOCK_SEQPACKET, [](int socket) {
    (void)take_request(socket);
    auto reply = bad_reply(Code::kExhausted, "no ids left");
    reply.sys_errno = 28;
    answer(socket, reply);
  });
  ASSERT_OK_AND_ASSIGN(auto client, SpawnerClient::connect(instance.paths()));
  const auto failed = client.call(wire::spawner::Create{});
  EXPECT_THAT(failed, FailsWith(Code::kExhausted));
  EXPECT_EQ(failed.error().message, "no ids left");
  EXPECT_EQ(failed.error().sys_errno, 28);
}

TEST(SpawnerClient, ASpawnerThatEndsIsUnavailable) {
  const auto instance = Instance::make().value();
  ScriptedPeer spawner(instance.paths().spawner_socket, SOCK_SEQPACKET,
                       [](int socket) { (void)take_request(socket); });
  ASSERT_OK_AND_ASSIGN(auto client, SpawnerClient::connect(instance.paths()));
  EXPECT_THAT(client.call(wire::spawner::Status{}), FailsWith(Code::kUnavailable));
}

TEST(SpawnerClient, AStrangeReplyIsRefused) {
  const auto instance = Instance::make().value();
  ScriptedPeer spawner(instance.paths().spawner_socket, SOCK_SEQPACKET, [](int socket) {
    (void)take_request(socket);
    ASSERT_OK(sys::send_packet(socket, std::as_bytes(std::span("nonsense"))));
  });
  ASSERT_OK_AND_ASSIGN(auto client, SpawnerClient::connect(instance.paths()));
  EXPECT_THAT(client.call(wire::spawner::Status{}), FailsWith(Code::kInvalid));
}

TEST(SpawnerClient, ASpawnerThatCannotBeStartedIsTold) {
  const auto instance = Instance::make().value();
  EXPECT_THAT(SpawnerClient::connect_or_start(instance.paths(), {.program = "/no/such/spawner"}),
              FailsSaying("/no/such/spawner"));
}

TEST(SpawnerClient, OneThatDiesBeforeItAnswersIsReplaced) {
  const auto instance = Instance::make().value();
  auto listener = sys::listen_unix(instance.paths().spawner_socket, SOCK_SEQPACKET).value();
  // Somebody connects, and nobody ever accepts.
  std::jthread dying([&] {
    pollfd caller{.fd = listener.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&caller, 1, 10'000), 1);
    listener.reset();
  });
  const std::string program = instance.paths().run + "/spawner";
  ASSERT_OK(sys::create_file_at(AT_FDCWD, program, "#!/bin/sh\necho another one begins\n", 0755));
  EXPECT_THAT(SpawnerClient::connect_or_start(instance.paths(), {.program = program}),
              FailsSaying("it last said: another one begins"));
}

TEST(SpawnerClient, WhatAFailingSpawnerSaidLastIsPassedOn) {
  const auto instance = Instance::make().value();
  const std::string program = instance.paths().run + "/spawner";
  ASSERT_OK(sys::create_file_at(AT_FDCWD, program, "#!/bin/sh\necho first\necho the host lacks it\nexit 1\n",
                                0755));
  EXPECT_THAT(SpawnerClient::connect_or_start(instance.paths(), {.program = program}),
              FailsSaying("it last said: the host lacks it"));
}

}  // namespace
}  // namespace engine
