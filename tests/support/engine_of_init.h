// init as a whole, in a real cgroup and with real processes, but without a sandbox around it: a test is its
// engine.
#pragma once

#include <linux/seccomp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <string>

#include "init/supervisor.h"
#include "sys/socket.h"
#include "sys/temp_dir.h"
#include "tests/support/result.h"
#include "tests/support/throwaway_cgroups.h"

namespace support {

inline init::LaunchPolicy open_policy(sys::CapMask root_capabilities) {
  return {.filter = {sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)},
          .user_capabilities = 0,
          .root_capabilities = root_capabilities};
}

inline wire::init::Start shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script},
          .environment = {"PATH=/usr/bin:/bin"},
          .cwd = "/",
          .grace_ms = 1,
          .output_cap = 1 << 20};
}

// What a run said before its end.
struct Story {
  std::string out;
  std::string err;
  std::uint32_t taken = 0;
  std::optional<wire::init::Failed> failed;
  wire::init::Ended ended;
};

class InitTest : public testing::Test {
 protected:
  void begin(sys::CgroupLimits limits = kRoomy, sys::CapMask root_capabilities = 0) {
    begin_waiting(limits, root_capabilities);
    meet();
  }

  // init waits with the leash, when there is one, until somebody meets it.
  void begin_waiting(sys::CgroupLimits limits, sys::CapMask root_capabilities, int leash = -1) {
    ASSERT_OK_AND_ASSIGN(group_, cgroups_.tree().create("a", limits, 0));
    ASSERT_OK_AND_ASSIGN(const auto listener, sys::listen_unix(dir_ / "s", SOCK_STREAM));
    ASSERT_OK_AND_ASSIGN(init_, sys::clone_process({.cgroup = group_.unified.get()}));
    if (init_.is_child()) be_init(listener.get(), root_capabilities, leash);
  }

  // Also again, as another engine that knows nothing of the one before.
  void meet() {
    ASSERT_OK_AND_ASSIGN(engine_, sys::connect_unix(dir_ / "s", SOCK_STREAM));
    frames_ = {};
    seen_.clear();
    const auto hello = next();
    ASSERT_TRUE(std::holds_alternative<wire::init::Hello>(hello));
    EXPECT_EQ(std::get<wire::init::Hello>(hello).version, wire::init::kVersion);
    EXPECT_EQ(std::get<wire::init::Hello>(hello).last_stream, last_);
  }

  [[noreturn]] void be_init(int listener, sys::CapMask root_capabilities, int leash) {
    bool ready = sys::set_death_signal(SIGKILL) && sys::set_no_new_privs();
    for (const auto& procs : group_.join) ready = ready && sys::write_all(procs.get(), "0");
    const auto& gauges = group_.gauges;
    const init::Wiring wiring{.listener = listener,
                              .cgroup = group_.unified.get(),
                              .gauges = {.oom = gauges.oom.get(),
                                         .oom_notify = gauges.oom_notify.get(),
                                         .memory_peak = gauges.memory_peak.get(),
                                         .pids = gauges.pids.get()},
                              .leash = leash};
    ::_exit(ready && init::Supervisor(wiring, open_policy(root_capabilities)).run() ? 0 : 1);
  }

  void send(std::uint32_t stream, const wire::init::Request& request) {
    ASSERT_OK(sys::write_all(engine_.get(), wire::init::encode(stream, request)));
  }

  wire::init::Event next() {
    while (true) {
      auto frame = frames_.next().value();
      if (frame) {
        stream_ = frame->stream;
        auto event = wire::init::decode_event(*frame).value();
        count(event);
        return event;
      }
      std::string buffer(1 << 16, '\0');
      const ssize_t n = ::recv(engine_.get(), buffer.data(), buffer.size(), 0);
      if (n <= 0) {
        ADD_FAILURE() << "init hung up";
        return wire::init::Ended{};
      }
      frames_.feed({buffer.data(), static_cast<std::size_t>(n)});
    }
  }

  // Acknowledges as an engine does that takes in whatever comes.
  void count(const wire::init::Event& event) {
    if (!wire::init::is_kept(event)) return;
    Seen& seen = seen_[stream_];
    ++seen.number;
    seen.cost += wire::init::cost_of(event);
    if (!acknowledges_ || seen.cost < wire::init::kOutputWindow / 2) return;
    seen.cost = 0;
    send(stream_, wire::init::Acknowledge{.number = seen.number});
  }

  // True at its end.
  static bool add(const wire::init::Event& event, Story& story) {
    if (const auto* output = std::get_if<wire::init::Output>(&event)) {
      auto& text = output->channel == wire::init::Channel::kStdout ? story.out : story.err;
      EXPECT_EQ(output->offset, text.size());
      text += output->bytes;
    }
    if (const auto* taken = std::get_if<wire::init::InputTaken>(&event)) story.taken += taken->bytes;
    if (const auto* failed = std::get_if<wire::init::Failed>(&event)) story.failed = *failed;
    if (const auto* ended = std::get_if<wire::init::Ended>(&event)) story.ended = *ended;
    return std::holds_alternative<wire::init::Failed>(event) ||
           std::holds_alternative<wire::init::Ended>(event);
  }

  Story await_end(std::uint32_t stream) {
    Story story;
    while (!add(next(), story)) EXPECT_EQ(stream_, stream);
    EXPECT_EQ(stream_, stream);
    return story;
  }

  // Of several at once, until so many have ended.
  std::map<std::uint32_t, Story> await_ends(std::size_t count) {
    std::map<std::uint32_t, Story> stories;
    for (std::size_t ended = 0; ended < count;) {
      const wire::init::Event event = next();
      ended += add(event, stories[stream_]) ? 1 : 0;
    }
    return stories;
  }

  Story tell(const wire::init::Start& start) {
    send(++last_, start);
    return await_end(last_);
  }

  void await_start() { ASSERT_TRUE(std::holds_alternative<wire::init::Started>(next())); }

  ThrowawayCgroups cgroups_ = ThrowawayCgroups::make().value();
  sys::TempDir dir_ = sys::TempDir::make().value();
  sys::CgroupGroup group_;
  sys::Clone init_;
  sys::UniqueFd engine_;
  wire::FrameReader frames_;
  std::uint32_t stream_ = 0;
  std::uint32_t last_ = 0;
  struct Seen {
    std::uint64_t number = 0;
    std::size_t cost = 0;
  };
  std::map<std::uint32_t, Seen> seen_;  // by stream
  bool acknowledges_ = true;
};

}  // namespace support
