#include "spawner/service.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "sys/socket.h"
#include "tests/support/instance.h"
#include "tests/support/result.h"
#include "tests/support/throwaway_cgroups.h"
#include "tests/support/use_memory.h"

namespace spawner {
namespace {

using base::Code;
using wire::spawner::packet_of;
using wire::spawner::Reply;

class ServiceTest : public testing::Test {
 protected:
  void serve(ServiceOptions options) {
    service_.emplace(std::move(listener_), sandboxes_, std::move(options));
    thread_ = std::jthread([this] { EXPECT_OK(service_->run()); });
  }

  sys::UniqueFd client() {
    return sys::connect_unix(instance_.paths().spawner_socket, SOCK_SEQPACKET).value();
  }

  // Nothing when the service has hung up.
  static std::optional<Reply> ask(const sys::UniqueFd& client, std::span<const std::byte> packet) {
    if (!sys::send_packet(client.get(), packet)) return std::nullopt;
    alignas(8) std::array<std::byte, wire::spawner::kMaxPacket + 1> buffer;
    const auto answer = sys::receive_packet(client.get(), buffer);
    if (!answer || answer->size == 0) return std::nullopt;
    return wire::spawner::decode_reply(std::span(buffer).first(answer->size)).value();
  }

  void stop() {
    EXPECT_EQ(ask(client(), packet_of(wire::spawner::Stop{}))->ok, 1U);
    thread_.join();
  }

  support::Instance instance_ = support::Instance::make().value();
  support::ThrowawayCgroups cgroups_ = support::ThrowawayCgroups::make().value();
  jail::Materials materials_;
  std::unique_ptr<Disks> disks_ = make_tmpfs_disks({}, instance_.paths()).value();
  Sandboxes sandboxes_{{.paths = instance_.paths(),
                        .materials = materials_,
                        .cgroups = cgroups_.tree(),
                        .disks = *disks_,
                        .workspace_roots = {}}};
  // Listening from the start, so that a client may call before anybody serves.
  sys::UniqueFd listener_ = sys::listen_unix(instance_.paths().spawner_socket, SOCK_SEQPACKET).value();
  std::optional<Service> service_;
  std::jthread thread_;
};

TEST_F(ServiceTest, EachClientHasItsAnswers) {
  serve({});
  const auto one = client();
  const auto two = client();
  for (const auto* socket : {&one, &two, &one}) {
    const auto reply = ask(*socket, packet_of(wire::spawner::Status{}));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->ok, 1U);
    EXPECT_EQ(reply->sandboxes, 0U);
  }
  stop();
}

TEST_F(ServiceTest, AFailureIsToldWithItsCode) {
  serve({});
  wire::spawner::Destroy unknown;
  unknown.sandbox.set("abcdefghijkmnpqr");
  const auto socket = client();
  const auto reply = ask(socket, packet_of(unknown));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->ok, 0U);
  EXPECT_EQ(reply->code, static_cast<std::uint32_t>(Code::kNotFound));
  EXPECT_EQ(reply->message.view(), "no sandbox abcdefghijkmnpqr");
  EXPECT_TRUE(ask(socket, packet_of(wire::spawner::Status{}))) << "and the connection goes on";
  stop();
}

TEST_F(ServiceTest, WhySandboxesEndedByThemselvesIsToldWhileTheyGoAndAfterwards) {
  std::vector<base::SandboxId> ids;
  std::vector<support::MemoryEater> eaters;
  for (std::uint32_t n = 0; n < 4; ++n) {
    ids.push_back(base::SandboxId::random());
    const auto group = cgroups_.tree().create(ids[n].text(), support::kTight, 0).value();
    eaters.push_back(support::MemoryEater::in(group));
    const Record record{
        .id = ids[n], .first_id = (n + 1) << 16, .pid = eaters[n].process.pid, .root = "root"};
    ASSERT_OK(save_record(instance_.paths(), record));
  }
  ASSERT_OK(sandboxes_.reconcile());
  serve({});
  const auto socket = client();
  for (std::size_t n = 0; n < ids.size(); ++n) {
    eaters[n].eat();
    wire::spawner::Destroy destroy;
    destroy.sandbox.set(ids[n].text());
    for (int times = 0; times < 2; ++times) {
      const auto reply = ask(socket, packet_of(destroy));
      ASSERT_TRUE(reply);
      EXPECT_EQ(reply->ok, 1U) << reply->message.view();
      EXPECT_EQ(reply->ended_as, EndedAs::kOutOfMemory);
      EXPECT_FALSE(cgroups_.tree().populated(ids[n].text())) << "and nothing of it is left";
    }
  }
  stop();
}

TEST_F(ServiceTest, WhoBreaksTheProtocolIsToldWhyAndLetGo) {
  serve({});
  const auto socket = client();
  const auto reply = ask(socket, std::as_bytes(std::span("nonsense")));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->ok, 0U);
  EXPECT_EQ(reply->code, static_cast<std::uint32_t>(Code::kInvalid));
  EXPECT_FALSE(ask(socket, packet_of(wire::spawner::Status{})));
  const std::vector<std::byte> huge(100'000);
  EXPECT_EQ(ask(client(), huge)->ok, 0U);
  stop();
}

TEST_F(ServiceTest, DescriptorsThatComeAlongAreClosed) {
  serve({});
  auto pipe = sys::make_pipe().value();
  const auto socket = client();
  const int fds[] = {pipe.write.get()};
  ASSERT_OK(sys::send_packet(socket.get(), packet_of(wire::spawner::Status{}), fds));
  pipe.write.reset();
  char byte = 0;
  EXPECT_EQ(::read(pipe.read.get(), &byte, 1), 0);
  stop();
}

TEST_F(ServiceTest, WhoIsNotAllowedIsNotAnswered) {
  const auto socket = client();
  serve({.linger = std::chrono::seconds(0), .allowed_users = {4242}});
  EXPECT_FALSE(ask(socket, packet_of(wire::spawner::Status{})));
  thread_.join();
}

TEST_F(ServiceTest, WithoutClientsItEndsAfterLingering) {
  serve({.linger = std::chrono::seconds(0)});
  thread_.join();
}

}  // namespace
}  // namespace spawner
