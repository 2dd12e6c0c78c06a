#include "spawner/chore.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <span>

#include "sys/run_program.h"
#include "wire/spawner_messages.h"

namespace spawner {

namespace {

// One packet from the child, with the descriptor beside it.
struct Outcome {
  std::uint32_t ok = 0;
  std::uint32_t code = 0;
  std::int32_t sys_errno = 0;
  wire::spawner::Text<500> message;
};

[[noreturn]] void child_main(const Chore::Work& work, std::vector<int> fds, int socket) {
  if (!sys::set_death_signal(SIGKILL)) ::_exit(1);
  fds.push_back(socket);
  if (!sys::close_all_but(fds)) ::_exit(1);
  auto done = work();
  Outcome outcome;
  std::vector<int> passed;
  if (done) {
    outcome.ok = 1;
    for (const sys::UniqueFd& fd : *done) passed.push_back(fd.get());
  } else {
    outcome.code = static_cast<std::uint32_t>(done.error().code);
    outcome.sys_errno = done.error().sys_errno;
    outcome.message.set(done.error().message);
  }
  const bool sent = sys::send_packet(socket, std::as_bytes(std::span(&outcome, 1)), passed).has_value();
  ::_exit(sent ? 0 : 1);
}

}  // namespace

Result<Chore> Chore::start(const Work& work, const std::vector<int>& fds) {
  ASSIGN_OR_RETURN(auto sockets, sys::make_socket_pair(SOCK_SEQPACKET));
  ASSIGN_OR_RETURN(auto process, sys::clone_process({}));
  if (process.is_child()) child_main(work, fds, sockets.theirs.get());
  return Chore(std::move(process), std::move(sockets.ours));
}

bool Chore::is_done() const {
  pollfd end{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, 0) == 1;
}

Result<Chore::Made> Chore::finish() {
  Outcome outcome;
  auto packet = sys::receive_packet(socket_.get(), std::as_writable_bytes(std::span(&outcome, 1)));
  // It may have been reaped already, by whoever reaps every child.
  (void)sys::wait_pidfd(process_.pidfd.get());
  if (!packet) return std::unexpected(std::move(packet).error());
  if (packet->size != sizeof outcome) {
    return base::fail(base::Code::kInternal, "a child that makes or removes a disk was killed");
  }
  if (outcome.ok == 0) {
    return std::unexpected(base::Error{static_cast<base::Code>(outcome.code),
                                       std::string(outcome.message.view()), outcome.sys_errno});
  }
  return std::move(packet->fds);
}

}  // namespace spawner
