#include "doctor/child.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "sys/process.h"
#include "sys/socket.h"

namespace doctor {

using base::Code;
using base::Error;
using base::Result;
using Clock = std::chrono::steady_clock;

namespace {

// The answer's head on the pipe; `length` bytes of text follow.
struct Head {
  int ok = 0;
  int code = 0;
  int sys_errno = 0;
  std::uint32_t length = 0;
};

constexpr std::size_t kMaxText = 4000;  // with the head below PIPE_BUF, so that it is written at once

[[noreturn]] void work_and_answer(const Work& work, int out) {
  const auto result = work();
  std::string text = result ? *result : result.error().message;
  text.resize(std::min(text.size(), kMaxText));
  Head head{.ok = result ? 1 : 0, .length = static_cast<std::uint32_t>(text.size())};
  if (!result) {
    head.code = static_cast<int>(result.error().code);
    head.sys_errno = result.error().sys_errno;
  }
  std::string message(sizeof head, '\0');
  std::memcpy(message.data(), &head, sizeof head);
  (void)sys::write_all(out, message + text);
  ::_exit(0);
}

struct Child {
  pid_t pid = 0;
  sys::UniqueFd answer;
};

Result<Child> start(const Work& work, const std::function<void()>& prepare, int namespaces) {
  ASSIGN_OR_RETURN(auto pipe, sys::make_pipe());
  ASSIGN_OR_RETURN(const pid_t pid, fork_process(namespaces));
  if (pid == 0) {
    prepare();
    work_and_answer(work, pipe.write.get());
  }
  return Child{.pid = pid, .answer = std::move(pipe.read)};
}

Error no_answer() { return {Code::kInternal, "the attempt ended without an answer", 0}; }

Result<std::string> decode(const std::string& message) {
  Head head;
  if (message.size() < sizeof head) return std::unexpected(no_answer());
  std::memcpy(&head, message.data(), sizeof head);
  auto text = message.substr(sizeof head, head.length);
  if (head.ok == 1) return text;
  return std::unexpected(Error{static_cast<Code>(head.code), std::move(text), head.sys_errno});
}

// The answer comes in one write, so one read has all of it. Grandchildren may hold the pipe open: its end is
// not waited for.
Result<std::string> read_answer(int pipe, int timeout_ms) {
  pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
  const auto count = TEMP_FAILURE_RETRY(::poll(&ready, 1, timeout_ms));
  if (count < 0) return base::failed_call("poll");
  if (count == 0) return base::fail(Code::kTimeout, "no answer before the deadline");
  std::string buffer(sizeof(Head) + kMaxText, '\0');
  const ssize_t size = TEMP_FAILURE_RETRY(::read(pipe, buffer.data(), buffer.size()));
  if (size < 0) return base::failed_call("read(answer)");
  buffer.resize(static_cast<std::size_t>(size));
  return decode(buffer);
}

// A killed process can be held up in the kernel (a hanging file system); then it is left to end by itself.
void reap_for(pid_t pid, std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (::waitpid(pid, nullptr, WNOHANG) == 0 && Clock::now() < end) {
    const timespec pause{.tv_sec = 0, .tv_nsec = 200'000};
    ::nanosleep(&pause, nullptr);
  }
}

// Waits for one byte; false when the other side has gone away.
bool wait_for_byte(int fd) {
  char byte = 0;
  return TEMP_FAILURE_RETRY(::read(fd, &byte, 1)) == 1;
}

}  // namespace

Result<pid_t> fork_process(int namespaces) {
  // Namespaces at birth: a process with more than one thread, as sanitizers make it, may not unshare its user
  // namespace. The raw call, because glibc's clone wants a stack of its own for the child.
  const long pid = ::syscall(SYS_clone, namespaces | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid < 0) return base::failed_call(namespaces == 0 ? "clone" : "clone(new namespaces)");
  return static_cast<pid_t>(pid);
}

Result<std::string> run_bounded(const Work& work, std::chrono::milliseconds deadline) {
  const auto lead_group = [] {
    (void)::setpgid(0, 0);
    (void)sys::set_death_signal(SIGKILL);
  };
  ASSIGN_OR_RETURN(const auto child, start(work, lead_group, 0));
  // In both processes, because either may run first.
  (void)::setpgid(child.pid, child.pid);
  auto answer = read_answer(child.answer.get(), static_cast<int>(deadline.count()));
  (void)::kill(-child.pid, SIGKILL);
  reap_for(child.pid, std::chrono::seconds(2));
  return answer;
}

Result<std::string> run_beside(const Work& work, const Meanwhile& meanwhile, int namespaces) {
  ASSIGN_OR_RETURN(const auto child, start(work, [] { (void)sys::set_death_signal(SIGKILL); }, namespaces));
  const auto done = meanwhile(child.pid);
  if (!done) (void)::kill(child.pid, SIGKILL);
  auto answer = read_answer(child.answer.get(), done ? -1 : 0);
  (void)TEMP_FAILURE_RETRY(::waitpid(child.pid, nullptr, 0));
  if (!done) return std::unexpected(done.error());
  return answer;
}

Result<std::string> run_nested(const Work& work) {
  return run_beside(work, [](pid_t) -> Result<> { return {}; });
}

Result<std::string> run_in_user_namespace(const NewNamespaces& namespaces, const Work& work) {
  ASSIGN_OR_RETURN(auto mapped, sys::make_pipe());
  const auto inside = [&]() -> Result<std::string> {
    mapped.write.reset();
    if (!wait_for_byte(mapped.read.get())) return std::unexpected(no_answer());
    RETURN_IF_ERROR(sys::set_ids(0, 0));
    // setresuid makes a process non-dumpable, and then nobody in the namespace may write a child's id maps.
    RETURN_IF_ERROR(sys::set_dumpable());
    return work();
  };
  const auto map_ids = [&](pid_t child) -> Result<> {
    RETURN_IF_ERROR(sys::write_id_maps(child, namespaces.map));
    return sys::write_all(mapped.write.get(), "m");
  };
  return run_beside(inside, map_ids, CLONE_NEWUSER | namespaces.more);
}

}  // namespace doctor
