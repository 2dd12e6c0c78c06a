#include "init/file_calls.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>

#include "sys/directory.h"
#include "tests/support/engine_of_init.h"
#include "wire/file_messages.h"

namespace init {
namespace {

using base::Code;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::file::Data;
using wire::file::Stat;
using wire::file::Write;

class FileCallsTest : public support::InitTest {
 protected:
  FileCallsTest() { EXPECT_EQ(::chmod(dir_.path().c_str(), 0777), 0); }

  void send_file(std::uint32_t stream, const wire::file::Request& request) {
    ASSERT_OK(sys::write_all(engine_.get(), wire::file::encode(stream, request)));
  }
  // Everything of a stream until its end; what others say meanwhile is kept for them.
  std::optional<wire::init::Failed> await_file(std::uint32_t stream) {
    while (true) {
      const wire::Frame frame = take_frame(stream);
      if (wire::file::is_end(frame.type)) return {};
      if (wire::file::is_event(frame.type)) {
        const auto event = wire::file::decode_event(frame).value();
        if (const auto* entries = std::get_if<wire::file::Entries>(&event)) entries_ = entries->entries;
        continue;
      }
      return std::get<wire::init::Failed>(wire::init::decode_event(frame).value());
    }
  }
  std::optional<wire::init::Failed> ask(const wire::file::Request& request) {
    send_file(++last_, request);
    return await_file(last_);
  }
  // The processes of a worker's leaf.
  pid_t worker(const std::string& leaf) {
    const auto text = sys::read_file_at(group_.unified.get(), leaf + "/cgroup.procs").value_or("");
    pid_t pid = 0;
    std::from_chars(text.data(), text.data() + text.size(), pid);
    return pid;
  }
  std::string status_of(pid_t pid, const std::string& field) {
    const auto text = sys::read_file("/proc/" + std::to_string(pid) + "/status").value_or("");
    const auto at = text.find("\n" + field + ":\t");
    return at == std::string::npos
               ? ""
               : text.substr(at + field.size() + 3, text.find('\n', at + 1) - at - field.size() - 3);
  }

  std::vector<wire::file::Entry> entries_;

 private:
  wire::Frame take_frame(std::uint32_t stream) {
    while (true) {
      auto& kept = kept_[stream];
      if (!kept.empty()) {
        wire::Frame frame = std::move(kept.front());
        kept.erase(kept.begin());
        return frame;
      }
      auto frame = frames_.next().value();
      if (frame) {
        kept_[frame->stream].push_back(*std::move(frame));
        continue;
      }
      std::string buffer(1 << 16, '\0');
      const ssize_t n = ::recv(engine_.get(), buffer.data(), buffer.size(), 0);
      if (n <= 0) {
        ADD_FAILURE() << "init hung up";
        return {.type = 0x405};
      }
      frames_.feed({buffer.data(), static_cast<std::size_t>(n)});
    }
  }
  std::map<std::uint32_t, std::vector<wire::Frame>> kept_;
};

TEST_F(FileCallsTest, FilesBelongToTheUserAndOthersFilesAreDenied) {
  begin();
  send_file(++last_, Write{.path = dir_ / "file"});
  send_file(last_, Data{.bytes = "text"});
  send_file(last_, Data{});
  EXPECT_FALSE(await_file(last_));
  EXPECT_FALSE(ask(Stat{.path = dir_ / "file"}));
  EXPECT_EQ(entries_.at(0).uid, 1000U);
  EXPECT_EQ(entries_.at(0).gid, 1000U);
  ASSERT_OK(sys::create_file_at(AT_FDCWD, dir_ / "secret", "x", 0600));
  for (const wire::file::Request& request : std::vector<wire::file::Request>{
           wire::file::Read{.path = dir_ / "secret"},
           wire::file::SetMode{.path = dir_ / "secret", .mode = 0777},
           wire::file::Write{.path = dir_ / "secret", .how = wire::file::How::kPatch}}) {
    const auto failed = ask(request);
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->code, static_cast<std::uint32_t>(Code::kDenied)) << failed->message;
  }
}

TEST_F(FileCallsTest, AWorkerIsTheUserWithoutAnyPrivilegeOrForeignDescriptor) {
  begin();
  ASSERT_FALSE(ask(Stat{.path = "/"}));
  const pid_t pid = worker("f1");
  ASSERT_GT(pid, 0);
  EXPECT_EQ(status_of(pid, "Uid"), "1000\t1000\t1000\t1000");
  EXPECT_EQ(status_of(pid, "CapEff"), "0000000000000000");
  EXPECT_EQ(status_of(pid, "NoNewPrivs"), "1");
  EXPECT_EQ(status_of(pid, "Seccomp"), "2");
  EXPECT_THAT(sys::entries("/proc/" + std::to_string(pid) + "/fd").value(),
              testing::UnorderedElementsAre("0", "1", "2", "3"));
  // Not dumpable: its files in /proc belong to root, and no process of the user may look into it.
  EXPECT_EQ(sys::fstatat(AT_FDCWD, "/proc/" + std::to_string(pid) + "/mem")->st_uid, 0U);
  EXPECT_EQ(sys::read_file("/proc/" + std::to_string(pid) + "/oom_score_adj").value(), "500\n");
}

TEST_F(FileCallsTest, OneWorkerServesCallAfterCallAndSeveralServeSeveral) {
  begin();
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(ask(Stat{.path = "/"}));
  EXPECT_EQ(worker("f2"), 0);
  const std::uint32_t first = ++last_;
  send_file(first, Write{.path = dir_ / "a"});
  const std::uint32_t second = ++last_;
  send_file(second, Write{.path = dir_ / "b"});
  EXPECT_FALSE(ask(Stat{.path = "/"})) << "while two others are under way";
  for (const auto stream : {second, first}) {
    send_file(stream, Data{.bytes = std::to_string(stream)});
    send_file(stream, Data{});
    EXPECT_FALSE(await_file(stream));
  }
  EXPECT_EQ(sys::read_file(dir_ / "a").value(), std::to_string(first));
  EXPECT_EQ(sys::read_file(dir_ / "b").value(), std::to_string(second));
}

TEST_F(FileCallsTest, ProcessesRunBesideFileCalls) {
  begin();
  const std::uint32_t upload = 1000;
  send_file(upload, Write{.path = dir_ / "a"});
  EXPECT_EQ(tell(support::shell("echo out")).out, "out\n");
  send_file(upload, Data{});
  EXPECT_FALSE(await_file(upload));
}

TEST_F(FileCallsTest, ACallWhoseWorkerIsKilledOrStoppedFailsAndTheNextIsServed) {
  begin();
  for (const auto& [leaf, signal] : {std::pair{"f1", SIGKILL}, {"f2", SIGSTOP}, {"f3", SIGTERM}}) {
    send_file(++last_, Write{.path = dir_ / "file"});
    send_file(last_, Data{.bytes = "half"});
    pid_t pid = 0;
    while ((pid = worker(leaf)) == 0) ::usleep(1000);
    ASSERT_EQ(::kill(pid, signal), 0);
    const auto failed = await_file(last_);
    ASSERT_TRUE(failed) << leaf;
    EXPECT_EQ(failed->code, static_cast<std::uint32_t>(Code::kUnavailable));
    EXPECT_THAT(failed->message, HasSubstr("call again"));
    EXPECT_FALSE(sys::fstatat(AT_FDCWD, dir_ / "file"));
  }
  EXPECT_FALSE(ask(Stat{.path = "/"}));
  EXPECT_FALSE(sys::fstatat(group_.unified.get(), "f1")) << "and nothing is left of it";
}

TEST_F(FileCallsTest, AnIdleWorkerThatWasKilledIsNoHindrance) {
  begin();
  EXPECT_FALSE(ask(Stat{.path = "/"}));
  ASSERT_EQ(::kill(worker("f1"), SIGKILL), 0);
  while (worker("f1") != 0) ::usleep(1000);
  EXPECT_FALSE(ask(Stat{.path = "/"}));
}

TEST_F(FileCallsTest, MoreCallsThanAllowedAreRefusedUntilOneEnds) {
  begin();
  for (std::size_t i = 0; i < FileCalls::kMostCalls; ++i) {
    send_file(static_cast<std::uint32_t>(100 + i), Write{.path = dir_ / std::to_string(i)});
  }
  const auto failed = ask(Stat{.path = "/"});
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->code, static_cast<std::uint32_t>(Code::kExhausted));
  send_file(100, wire::file::Cancel{});
  EXPECT_TRUE(await_file(100));
  EXPECT_FALSE(ask(Stat{.path = "/"}));
  for (std::size_t i = 1; i < FileCalls::kMostCalls; ++i) {
    send_file(static_cast<std::uint32_t>(100 + i), Data{});
    EXPECT_FALSE(await_file(static_cast<std::uint32_t>(100 + i)));
  }
  EXPECT_EQ(sys::entries(dir_.path())->size(), FileCalls::kMostCalls) << "one name is the socket's";
}

TEST_F(FileCallsTest, FramesOfACallThatHasEndedAreForNobody) {
  begin();
  send_file(77, Data{.bytes = "x"});
  send_file(77, wire::file::Credit{.bytes = 5});
  send_file(77, wire::file::Cancel{});
  EXPECT_FALSE(ask(Stat{.path = "/"}));
  send_file(++last_, Write{.path = dir_ / "a"});
  send_file(last_, Stat{.path = "/"});
  const auto failed = await_file(last_);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->code, static_cast<std::uint32_t>(Code::kConflict));
}

TEST_F(FileCallsTest, AnEngineThatSendsMoreThanTheWindowLosesItsCallOnly) {
  begin();
  send_file(++last_, wire::file::List{.path = "/usr", .depth = 100});
  const std::uint32_t flooded = last_;
  while (worker("f1") == 0) ::usleep(1000);
  for (int i = 0; i < 64; ++i) send_file(flooded, Data{.bytes = std::string(wire::kMaxChunk, 'x')});
  EXPECT_TRUE(await_file(flooded));
  EXPECT_FALSE(ask(Stat{.path = "/"}));
}

}  // namespace
}  // namespace init
