#include "zygote/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "wire/zygote_messages.h"

// Where the C library keeps a thread's restartable sequences; one that has none lacks the symbol.
extern "C" __attribute__((weak, visibility("default"))) const ptrdiff_t cove_rseq_offset asm("__rseq_offset");

namespace {

using namespace wire::zygote;

constexpr uid_t kUserId = 1000;
constexpr int kRuntimePlace = 4;
constexpr int kBelongsPlace = 5;
constexpr int kAway = 32;                   // above every place and everything that a call brings
constexpr size_t kMostInstructions = 4096;  // the kernel's own limit

// What a newcomer still holds of its way in.
struct Way {
  int gate;
  int door;
  unsigned stream;
};

void tell_failure(int gate, const char* step, int sys_errno) {
  Said said{.word = Word::kFailed, .sys_errno = sys_errno};
  strncpy(said.text, step, sizeof said.text - 1);
  (void)!send(gate, &said, sizeof said, MSG_NOSIGNAL);
}

[[noreturn]] void give_up(int gate, const char* step) {
  tell_failure(gate, step, errno);
  _exit(1);
}

#define MUST(gate, step, call)          \
  do {                                  \
    if (!(call)) give_up((gate), step); \
  } while (0)

bool take_descriptors(msghdr& message, int* fds, unsigned wanted) {
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  const bool whole = head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
                     head->cmsg_len == CMSG_LEN(sizeof(int) * wanted);
  if (whole) memcpy(fds, CMSG_DATA(head), sizeof(int) * wanted);
  return whole;
}

ssize_t receive(int socket, iovec io, int* fds, unsigned wanted) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kCallFds)] = {};
  msghdr message{};
  message.msg_iov = &io;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(sizeof(int) * wanted);
  ssize_t n;
  do {
    n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n <= 0 || take_descriptors(message, fds, wanted)) return n;
  errno = EPROTO;
  return -1;
}

// The spawner puts the newcomer into the sandbox's groups: from here on it is counted there, and ends with
// it.
void join_groups(int gate) {
  const Said born{.word = Word::kBorn};
  MUST(gate, "say that it is born", send(gate, &born, sizeof born, MSG_NOSIGNAL) == sizeof born);
  Said answer{};
  errno = EPROTO;
  MUST(gate, "join groups", recv(gate, &answer, sizeof answer, 0) == sizeof answer);
  MUST(gate, "join groups", answer.magic == kMagic && answer.word == Word::kGo);
}

// The network namespace belongs to the nursery and is entered from there; the others belong to the sandbox's
// user namespace, which gives every capability over them, and none elsewhere.
void enter_namespaces(const Way& way, const int* fds) {
  MUST(way.gate, "enter network", setns(fds[kNetworkSpace], CLONE_NEWNET) == 0);
  MUST(way.gate, "enter user namespace", setns(fds[kUserSpace], CLONE_NEWUSER) == 0);
  // What the sandbox sees of a newcomer is nothing it may look into.
  MUST(way.gate, "hide", prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
  MUST(way.gate, "enter ipc namespace", setns(fds[kIpcSpace], CLONE_NEWIPC) == 0);
  MUST(way.gate, "enter uts namespace", setns(fds[kUtsSpace], CLONE_NEWUTS) == 0);
  MUST(way.gate, "enter cgroup namespace", setns(fds[kCgroupSpace], CLONE_NEWCGROUP) == 0);
  MUST(way.gate, "enter mounts", setns(fds[kMountSpace], CLONE_NEWNS) == 0);
  for (unsigned i = kPidSpace; i <= kCgroupSpace; ++i) close(fds[i]);
  MUST(way.gate, "own session", setsid() >= 0);
}

// As many CPUs as everything else here counts: those of init.
void take_cpus(int gate) {
  unsigned char mask[1024] = {};
  const long size = syscall(SYS_sched_getaffinity, 1, sizeof mask, mask);
  MUST(gate, "ask for init's cpus", size > 0);
  MUST(gate, "take cpus", syscall(SYS_sched_setaffinity, 0, size, mask) == 0);
}

// The same as what init starts: uid 1000, nothing in any set, and no way back.
void drop_privileges(int gate) {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    MUST(gate, "drop bounding set", prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0);
  }
  MUST(gate, "lock securebits", prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0, 0, 0) == 0);
  // Raw calls: the C library's would signal threads, of which there are none.
  MUST(gate, "drop groups", syscall(SYS_setgroups, 0, nullptr) == 0);
  MUST(gate, "become the user", syscall(SYS_setresgid, kUserId, kUserId, kUserId) == 0);
  MUST(gate, "become the user", syscall(SYS_setresuid, kUserId, kUserId, kUserId) == 0);
  // What fs.suid_dumpable makes of the change of ids is the host's affair.
  MUST(gate, "hide", prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  MUST(gate, "drop capabilities", syscall(SYS_capset, &header, none) == 0);
  MUST(gate, "drop ambient capabilities", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0);
}

// As long as the process in between has not ended, init is not the parent. It has nothing left to do but end.
void await_parent() {
  constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = 50'000};
  while (getppid() != 1) nanosleep(&kMoment, nullptr);
}

// init sees by the credentials which of its processes this is, and answers with what the context is made of.
void knock(const Way& way, int* welcome) {
  MUST(way.gate, "find the door", fcntl(way.door, F_SETFL, 0) == 0);
  Knock words{.stream = way.stream};
  iovec io{&words, sizeof words};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))] = {};
  msghdr message{};
  message.msg_iov = &io;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_CREDENTIALS;
  head->cmsg_len = CMSG_LEN(sizeof(ucred));
  const ucred self{.pid = getpid(), .uid = kUserId, .gid = kUserId};
  memcpy(CMSG_DATA(head), &self, sizeof self);
  MUST(way.gate, "knock", sendmsg(way.door, &message, MSG_NOSIGNAL) == sizeof words);
  char answer = 0;
  errno = ECONNREFUSED;
  MUST(way.gate, "be welcomed", receive(way.door, {&answer, sizeof answer}, welcome, kWelcomeFds) == 1);
}

void install_filter(int gate, int file) {
  static sock_filter program[kMostInstructions];
  const ssize_t size = pread(file, program, sizeof program, 0);
  errno = EINVAL;
  MUST(gate, "read filter", size > 0 && size % static_cast<ssize_t>(sizeof(sock_filter)) == 0);
  const sock_fprog filter{static_cast<unsigned short>(static_cast<size_t>(size) / sizeof(sock_filter)),
                          program};
  MUST(gate, "filter system calls", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0);
}

void place(int gate, int fd, int place) { MUST(gate, "place descriptors", dup2(fd, place) == place); }

// Everything of the way in closes here.
void keep_what_is_a_contexts(int gate, const int* welcome) {
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  MUST(gate, "open /dev/null", null >= 0);
  const int lifted = fcntl(gate, F_DUPFD_CLOEXEC, kAway);
  MUST(gate, "place descriptors", lifted >= 0);
  int away[kWelcomeFds];
  for (unsigned i = 0; i < kWelcomeFds; ++i) {
    away[i] = fcntl(welcome[i], F_DUPFD_CLOEXEC, kAway);
    MUST(gate, "place descriptors", away[i] >= 0);
  }
  const int nothing = fcntl(null, F_DUPFD_CLOEXEC, kAway);
  MUST(gate, "place descriptors", nothing >= 0);
  place(lifted, nothing, STDIN_FILENO);
  place(lifted, away[kOutput], STDOUT_FILENO);
  place(lifted, away[kError], STDERR_FILENO);
  place(lifted, away[kRuntime], kRuntimePlace);
  place(lifted, away[kBelongs], kBelongsPlace);
  install_filter(lifted, away[kFilter]);
  const Said in{.word = Word::kIn};
  MUST(lifted, "say that it is in", send(lifted, &in, sizeof in, MSG_NOSIGNAL) == sizeof in);
  if (close(3) != 0 && errno != EBADF) _exit(1);
  if (syscall(SYS_close_range, kBelongsPlace + 1, ~0U, 0) != 0) _exit(1);
}

// The C library registers this once per thread, and a process that was forked by way of vfork has lost it.
void register_restartable_sequences() {
  struct Area {
    unsigned cpu_id_start, cpu_id;
  };
  constexpr unsigned kSize = 32, kSignature = 0x53053053, kGone = static_cast<unsigned>(-2);
  if (&cove_rseq_offset == nullptr) return;
  auto* const area =
      reinterpret_cast<Area*>(static_cast<char*>(__builtin_thread_pointer()) + cove_rseq_offset);
  if (syscall(SYS_rseq, area, kSize, 0, kSignature) != 0) area->cpu_id = kGone;
}

// A newcomer: a process of the sandbox's pid namespace whose parent is init, and in nothing else of the
// sandbox yet.
void settle(int channel, const int* fds, unsigned stream) {
  const Way way{.gate = fds[kGate], .door = fds[kDoor], .stream = stream};
  register_restartable_sequences();
  close(channel);
  join_groups(way.gate);
  enter_namespaces(way, fds);
  take_cpus(way.gate);
  drop_privileges(way.gate);
  await_parent();
  int welcome[kWelcomeFds];
  knock(way, welcome);
  keep_what_is_a_contexts(way.gate, welcome);
  umask(022);
  // Nothing of anybody else is left in this process: it may be looked into like every other of its user.
  (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

// Children are born in the sandbox's pid namespace from here on, until the next call says another. The first
// of them only forks the newcomer and ends, so that the newcomer's parent is the sandbox's pid 1. It shares
// the zygote's memory for that moment: a second copy would double what entering costs. Nobody in the sandbox
// may signal it, because it is still the nursery's.
// True in the newcomer.
bool bear(const int* fds) {
  if (setns(fds[kPidSpace], CLONE_NEWPID) != 0) {
    tell_failure(fds[kGate], "enter pid namespace", errno);
    return false;
  }
  // The calls are made for this kernel and this C library, whose fork asks nothing of a process that vfork
  // made.
  const pid_t midwife =
      vfork();  // NOLINT(bugprone-unsafe-functions,clang-analyzer-security.insecureAPI.vfork)
  if (midwife == 0) {
    const pid_t newcomer = fork();  // NOLINT(clang-analyzer-unix.Vfork)
    if (newcomer == 0) return true;
    _exit(newcomer > 0 ? 0 : errno);
  }
  int status = 0;
  if (midwife < 0 || waitpid(midwife, &status, 0) != midwife || status != 0) {
    tell_failure(fds[kGate], "bear", midwife < 0 ? errno : WEXITSTATUS(status));
  }
  return false;
}

}  // namespace

int cove_await_calls(int channel) {
  // Nothing of what passes through here is anybody's to look at.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return 0;
  while (true) {
    Call call{};
    int fds[kCallFds];
    const ssize_t n = receive(channel, {&call, sizeof call}, fds, kCallFds);
    if (n != sizeof call || call.magic != kMagic) return 0;
    if (bear(fds)) {
      settle(channel, fds, call.stream);
      return 1;
    }
    for (const int fd : fds) close(fd);
  }
}

void cove_tell(int channel, const char* reason) {
  Said said{.word = reason == nullptr ? Word::kReady : Word::kUnable};
  if (reason != nullptr) strncpy(said.text, reason, sizeof said.text - 1);
  (void)!send(channel, &said, sizeof said, MSG_NOSIGNAL);
}
