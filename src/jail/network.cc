#include "jail/network.h"

#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "jail/step_report.h"
#include "sys/process.h"
#include "sys/socket.h"

namespace jail {

namespace {

constexpr int kMakerSeconds = 20;

Result<sys::UniqueFd> enter_new_network(int nursery, const std::vector<Sysctl>& sysctls) {
  RETURN_IF_ERROR(sys::setns(nursery, CLONE_NEWUSER));
  RETURN_IF_ERROR(sys::unshare(CLONE_NEWNET));
  RETURN_IF_ERROR(sys::set_loopback_up());
  for (const Sysctl& sysctl : sysctls) {
    RETURN_IF_ERROR(sys::write_existing(std::string("/proc/sys/") + sysctl.path, sysctl.value));
  }
  return sys::open("/proc/self/ns/net", O_RDONLY);
}

[[noreturn]] void maker_main(int socket, int nursery, const std::vector<Sysctl>& sysctls) {
  const auto bound = sys::set_death_signal(SIGKILL);
  const auto made = bound ? enter_new_network(nursery, sysctls) : std::unexpected(bound.error());
  if (!made) report_failure(socket, "make network", made.error());
  if (made) {
    if (const auto told = report_made(socket, 0, made->get()); !told) {
      report_failure(socket, "make network", told.error());
    }
  }
  ::_exit(0);
}

}  // namespace

Result<sys::UniqueFd> make_network(int nursery, const std::vector<Sysctl>& sysctls) {
  ASSIGN_OR_RETURN(auto channel, sys::make_socket_pair(SOCK_SEQPACKET));
  RETURN_IF_ERROR(sys::set_receive_timeout(channel.ours.get(), kMakerSeconds));
  ASSIGN_OR_RETURN(const auto maker, sys::clone_process({}));
  if (maker.is_child()) maker_main(channel.theirs.get(), nursery, sysctls);
  channel.theirs.reset();
  auto answer = receive_report(channel.ours.get());
  (void)sys::pidfd_kill(maker.pidfd.get(), SIGKILL);  // one that does not answer in time
  RETURN_IF_ERROR(sys::wait_pidfd(maker.pidfd.get()));
  if (!answer) return std::unexpected(std::move(answer).error());
  if (!*answer) return base::fail(base::Code::kInternal, "make network: its maker was killed");
  return std::move((*answer)->fd);
}

}  // namespace jail
