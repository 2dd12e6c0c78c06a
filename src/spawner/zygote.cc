#include "spawner/zygote.h"

#include <poll.h>
#include <sys/socket.h>

#include <utility>

#include "jail/zygote.h"
#include "spawner/forkable.h"
#include "spawner/records.h"
#include "spawner/said.h"
#include "sys/socket.h"

namespace spawner {

namespace {

using base::Code;
using wire::zygote::Word;

// As much as a large set of packages takes to import on a slow machine.
constexpr std::chrono::seconds kWarmingUp{120};

// What imports may use: no caller's limits apply to them yet.
sys::CgroupLimits limits(std::size_t cpus) {
  return {.memory_bytes = 2ULL << 30, .max_pids = 128, .cpu_millis = static_cast<std::uint32_t>(cpus) * 1000};
}

}  // namespace

Result<> Zygote::start(const Parts& parts, const std::string& root, const Nursery& nursery) {
  ASSIGN_OR_RETURN(auto line, sys::make_socket_pair(SOCK_SEQPACKET));
  RETURN_IF_ERROR(sys::set_nonblocking(line.ours.get()));
  jail::Wiring wiring;
  wiring.materials = &parts.materials;
  wiring.nursery = nursery.user_namespace.get();
  ASSIGN_OR_RETURN(wiring.id_map, parts.blocks.id_map(slot_));
  wiring.channel = std::move(line.theirs);
  // The name first: whoever finds the group finds out that it is no sandbox.
  RETURN_IF_ERROR(sys::create_file_at(AT_FDCWD, ahead_path(parts.paths, id_), "", 0600));
  ASSIGN_OR_RETURN(wiring.group, parts.cgroups.create(id_.text()));
  RETURN_IF_ERROR(parts.cgroups.set_limits(id_.text(), limits(parts.materials.host.cpus.size())));
  RETURN_IF_ERROR(parts.cgroups.set_idle(id_.text(), true));
  ASSIGN_OR_RETURN(process_, jail::start_zygote({.root = root, .first_id = slot_}, wiring));
  channel_ = std::move(line.ours);
  deadline_ = Clock::now() + kWarmingUp;
  return {};
}

Result<> Zygote::set_haste(const Parts& parts, Haste haste) {
  if (std::exchange(haste_, haste) == haste) return {};
  return parts.cgroups.set_idle(id_.text(), haste == Haste::kNone);
}

base::Error Zygote::how_it_ended() const {
  const auto status = sys::wait_pidfd(process_.pidfd.get());
  std::string how = "ended without a word";
  if (status && status->signal != 0) how = "was killed by signal " + std::to_string(status->signal);
  if (status && status->signal == 0) how = "ended with status " + std::to_string(status->code);
  return {Code::kUnavailable, "it " + how};
}

Result<> Zygote::listen() {
  if (is_condemned_) return base::fail(Code::kTimeout, "it bore nobody for 10 s");
  ASSIGN_OR_RETURN(const auto said, receive_said(channel_.get()));
  switch (said.news) {
    case News::kNone:
      if (is_ready_ || Clock::now() < deadline_) return {};
      return base::fail(Code::kTimeout, "it did not become ready within 120 s");
    case News::kHungUp:
      (void)sys::pidfd_kill(process_.pidfd.get(), SIGKILL);
      return std::unexpected(how_it_ended());
    case News::kSaid:
      break;
  }
  if (said.word == Word::kUnable) return base::fail(Code::kUnavailable, said.text);
  if (said.word != Word::kReady || is_ready_) return base::fail(Code::kInternal, "it speaks out of turn");
  RETURN_IF_ERROR(check_forkable(process_.pid));
  is_ready_ = true;
  return {};
}

Result<> Zygote::call(std::uint32_t stream, std::span<const int> fds) const {
  const wire::zygote::Call call{.stream = stream};
  return sys::send_packet(channel_.get(), std::as_bytes(std::span(&call, 1)), fds);
}

}  // namespace spawner
