#include "spawner/arrival.h"

#include <sys/socket.h>

#include <array>
#include <cstring>

#include "spawner/said.h"
#include "sys/process.h"
#include "sys/socket.h"

namespace spawner {

namespace {

using base::Code;
using wire::zygote::CallFd;
using wire::zygote::Word;

constexpr std::chrono::seconds kWayIn{10};

using CallFds = std::array<sys::UniqueFd, wire::zygote::kCallFds>;

// Opened by us: a pidfd in their place would ask for more than the nursery may have.
Result<> open_namespaces(const Destination& to, CallFds& fds) {
  constexpr std::pair<CallFd, const char*> kSpaces[] = {
      {CallFd::kPidSpace, "pid"},      {CallFd::kNetworkSpace, "net"}, {CallFd::kUserSpace, "user"},
      {CallFd::kMountSpace, "mnt"},    {CallFd::kIpcSpace, "ipc"},     {CallFd::kUtsSpace, "uts"},
      {CallFd::kCgroupSpace, "cgroup"}};
  for (const auto& [place, name] : kSpaces) {
    const std::string path = "/proc/" + std::to_string(to.init) + "/ns/" + name;
    ASSIGN_OR_RETURN(fds[place], sys::open(path, O_RDONLY));
  }
  // Only now: as long as it has not ended, the number was its own.
  if (sys::has_ended(to.pidfd.get()))
    return base::fail(Code::kNotFound, "sandbox " + to.sandbox.text() + " has ended");
  return {};
}

}  // namespace

Arrival::Arrival(const Destination& to, const Zygote& from)
    : sandbox_(to.sandbox), origin_(from.id().text()), deadline_(Clock::now() + kWayIn) {}

Result<Arrival> Arrival::begin(const Destination& to, const Zygote& from) {
  Arrival arrival(to, from);
  CallFds fds;
  RETURN_IF_ERROR(open_namespaces(to, fds));
  ASSIGN_OR_RETURN(const auto space, sys::fstat(fds[CallFd::kPidSpace].get()));
  arrival.pid_space_ = space.st_ino;
  ASSIGN_OR_RETURN(auto gate, sys::make_socket_pair(SOCK_SEQPACKET));
  RETURN_IF_ERROR(sys::ask_for_credentials(gate.ours.get()));
  RETURN_IF_ERROR(sys::set_nonblocking(gate.ours.get()));
  fds[CallFd::kGate] = std::move(gate.theirs);
  // An init that takes no connections does not keep us. By the name it sees that this is no engine.
  ASSIGN_OR_RETURN(fds[CallFd::kDoor],
                   sys::connect_unix(to.socket, SOCK_STREAM | SOCK_NONBLOCK, sys::Origin::kNamed));
  arrival.gate_ = std::move(gate.ours);
  std::array<int, wire::zygote::kCallFds> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = fds[i].get();
  RETURN_IF_ERROR(from.call(to.stream, numbers));
  return arrival;
}

// The zygote could say anything, and a process that is moved into a group ends with it. So only a process of
// the zygote's own group that is in the sandbox's pid namespace already is moved.
Result<> Arrival::take_in(const sys::PeerCredentials& newcomer, const sys::CgroupTree& cgroups) {
  ASSIGN_OR_RETURN(newcomer_, sys::pidfd_open(newcomer.pid));
  ASSIGN_OR_RETURN(const bool ours, sys::is_in_group(newcomer.pid, origin_));
  const std::string space = "/proc/" + std::to_string(newcomer.pid) + "/ns/pid";
  ASSIGN_OR_RETURN(const auto where, sys::fstatat(AT_FDCWD, space, 0));
  if (!ours || where.st_ino != pid_space_) {
    return base::fail(Code::kDenied, "the zygote sent a process that it did not bear for this sandbox");
  }
  RETURN_IF_ERROR(cgroups.move_in(sandbox_.text(), newcomer.pid));
  if (sys::has_ended(newcomer_.get())) return base::fail(Code::kUnavailable, "the newcomer has ended");
  const wire::zygote::Said go{.word = Word::kGo};
  return sys::send_packet(gate_.get(), std::as_bytes(std::span(&go, 1)));
}

Result<bool> Arrival::go_on(const sys::CgroupTree& cgroups) {
  ASSIGN_OR_RETURN(const auto heard, receive_said(gate_.get()));
  if (heard.news == News::kNone) {
    if (Clock::now() < deadline_) return false;
    return base::fail(Code::kTimeout, "a newcomer did not arrive within 10 s");
  }
  if (heard.news == News::kHungUp) {
    return base::fail(Code::kUnavailable, "a newcomer ended on its way into sandbox " + sandbox_.text());
  }
  if (heard.word == Word::kIn && newcomer_) return true;
  if (heard.word == Word::kFailed) {
    return base::fail(Code::kInternal,
                      "a newcomer failed to " + heard.text + ": " + std::strerror(heard.sys_errno));
  }
  if (heard.word != Word::kBorn || newcomer_ || !heard.sender) {
    return base::fail(Code::kInternal, "a newcomer speaks out of turn");
  }
  RETURN_IF_ERROR(take_in(*heard.sender, cgroups));
  return false;
}

void Arrival::abandon() const {
  if (newcomer_) (void)sys::pidfd_kill(newcomer_.get(), SIGKILL);
}

}  // namespace spawner
