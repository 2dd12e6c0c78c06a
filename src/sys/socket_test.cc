#include "sys/socket.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "sys/temp_dir.h"
#include "tests/support/result.h"

namespace sys {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using support::FailsWithErrno;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Socket, APacketArrivesWithItsDescriptors) {
  const auto pair = make_socket_pair(SOCK_SEQPACKET).value();
  const auto pipe = make_pipe().value();
  const int fds[] = {pipe.read.get(), pipe.write.get()};
  ASSERT_OK(send_packet(pair.ours.get(), bytes_of("hello"), fds));
  std::array<std::byte, 64> buffer{};
  ASSERT_OK_AND_ASSIGN(const auto packet, receive_packet(pair.theirs.get(), buffer));
  EXPECT_EQ(packet.size, 5U);
  EXPECT_FALSE(packet.truncated);
  ASSERT_EQ(packet.fds.size(), 2U);
  EXPECT_EQ(::fcntl(packet.fds[0].get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  ASSERT_OK(write_all(packet.fds[1].get(), "through"));
  EXPECT_EQ(::read(pipe.read.get(), buffer.data(), buffer.size()), 7);
}

TEST(Socket, PacketsKeepTheirBounds) {
  const auto pair = make_socket_pair(SOCK_SEQPACKET).value();
  ASSERT_OK(send_packet(pair.ours.get(), bytes_of("one")));
  ASSERT_OK(send_packet(pair.ours.get(), bytes_of("three")));
  std::array<std::byte, 64> buffer{};
  EXPECT_EQ(receive_packet(pair.theirs.get(), buffer)->size, 3U);
  EXPECT_EQ(receive_packet(pair.theirs.get(), buffer)->size, 5U);
}

TEST(Socket, ACutPacketIsKnownAsSuch) {
  const auto pair = make_socket_pair(SOCK_SEQPACKET).value();
  ASSERT_OK(send_packet(pair.ours.get(), bytes_of("too long")));
  std::array<std::byte, 4> buffer{};
  EXPECT_TRUE(receive_packet(pair.theirs.get(), buffer)->truncated);
}

TEST(Socket, TheEndReadsAsAnEmptyPacketAndWritesAsUnavailable) {
  auto pair = make_socket_pair(SOCK_SEQPACKET).value();
  pair.ours.reset();
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(receive_packet(pair.theirs.get(), buffer)->size, 0U);
  EXPECT_THAT(send_packet(pair.theirs.get(), bytes_of("x")), FailsWith(Code::kUnavailable));
}

TEST(Socket, TooManyDescriptorsAreRefused) {
  const auto pair = make_socket_pair(SOCK_SEQPACKET).value();
  const std::vector<int> fds(kMaxPassedFds + 1, 0);
  EXPECT_THAT(send_packet(pair.ours.get(), bytes_of("x"), fds), FailsWith(Code::kInternal));
}

TEST(Socket, APathSocketIsForItsOwnerAloneAndTellsWhoCalls) {
  const TempDir dir = TempDir::make().value();
  const auto listener = listen_unix(dir / "s", SOCK_STREAM).value();
  EXPECT_EQ(fstatat(AT_FDCWD, dir / "s").value().st_mode & 0777, 0600U);
  const auto client = connect_unix(dir / "s", SOCK_STREAM).value();
  ASSERT_OK_AND_ASSIGN(const auto server, accept(listener.get()));
  ASSERT_OK_AND_ASSIGN(const auto peer, peer_credentials(server.get()));
  EXPECT_EQ(peer.pid, ::getpid());
  EXPECT_EQ(peer.uid, ::geteuid());
  EXPECT_EQ(peer.gid, ::getegid());
}

TEST(Socket, ASecondListenerAtAPathIsAnError) {
  const TempDir dir = TempDir::make().value();
  const auto listener = listen_unix(dir / "s", SOCK_STREAM).value();
  EXPECT_THAT(listen_unix(dir / "s", SOCK_STREAM), FailsWithErrno(EADDRINUSE));
}

TEST(Socket, NobodyThereIsNotFoundOrUnavailable) {
  const TempDir dir = TempDir::make().value();
  EXPECT_THAT(connect_unix(dir / "s", SOCK_STREAM), FailsWith(Code::kNotFound));
  {
    const auto listener = listen_unix(dir / "s", SOCK_STREAM).value();
  }
  EXPECT_THAT(connect_unix(dir / "s", SOCK_STREAM), FailsWith(Code::kUnavailable));
}

TEST(Socket, ATooLongPathIsRefusedBeforeItIsCut) {
  const std::string path = "/tmp/" + std::string(200, 'x');
  EXPECT_THAT(listen_unix(path, SOCK_STREAM), FailsSaying("too long"));
  EXPECT_THAT(connect_unix(path, SOCK_STREAM), FailsSaying("too long"));
}

TEST(Socket, AcceptWithoutACallerDoesNotWait) {
  const TempDir dir = TempDir::make().value();
  const auto listener = listen_unix(dir / "s", SOCK_STREAM).value();
  EXPECT_THAT(accept(listener.get()), FailsWithErrno(EAGAIN));
}

TEST(Socket, ANonblockingPipeDoesNotWait) {
  const auto pipe = make_pipe().value();
  ASSERT_OK(set_nonblocking(pipe.read.get()));
  char byte = 0;
  EXPECT_EQ(::read(pipe.read.get(), &byte, 1), -1);
  EXPECT_EQ(errno, EAGAIN);
}

}  // namespace
}  // namespace sys
