#include "init/put_file.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "sys/retry.h"

namespace init {

namespace {
int write_as_user(const wire::init::PutFile& request, const LaunchPolicy& policy) {
  if (const auto ready = become(wire::init::User::kUser, policy); !ready) return ready.error().sys_errno;
  auto fd = sys::open(request.path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, request.mode);
  if (!fd) return fd.error().sys_errno;
  if (const auto done = sys::write_all(fd->get(), request.bytes); !done) return done.error().sys_errno;
  return 0;
}

// Bounded: a process of the same user may stop the writer, and must not stop init with it.
Result<sys::ExitStatus> await_end(const sys::Clone& writer) {
  constexpr int kLimitMs = 10'000;
  pollfd waiting{.fd = writer.pidfd.get(), .events = POLLIN, .revents = 0};
  const int ready = sys::retry([&] { return ::poll(&waiting, 1, kLimitMs); });
  const Result<> polled = ready < 0 ? Result<>(base::failed_call("poll(writer)")) : Result<>();
  if (ready <= 0) RETURN_IF_ERROR(sys::pidfd_kill(writer.pidfd.get(), SIGKILL));
  ASSIGN_OR_RETURN(const auto status, sys::wait_pidfd(writer.pidfd.get()));
  RETURN_IF_ERROR(polled);
  if (ready == 0) return base::fail(base::Code::kTimeout, "it was not written within 10 s");
  return status;
}
}  // namespace

Result<> put_file(const wire::init::PutFile& request, const LaunchPolicy& policy) {
  ASSIGN_OR_RETURN(const auto child, sys::clone_process({}));
  // The exit status carries the errno: all of them fit.
  if (child.is_child()) ::_exit(write_as_user(request, policy));
  ASSIGN_OR_RETURN(const auto status, await_end(child));
  if (status.signal != 0)
    return base::fail(base::Code::kInternal, "the writer of " + request.path + " was killed");
  if (status.code != 0) return base::failed_call("write(" + request.path + ")", status.code);
  return {};
}

}  // namespace init
