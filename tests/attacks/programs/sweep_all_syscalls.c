// Row A01. Sweeps every system call number from 0 to 511, each in a child of its own, and states what became
// of it. Mechanism: the seccomp allowlist. The harness compares the list with a golden one.
//
// `fact syscall <number> <name> <verdict>`, verdict one of: allow (the kernel's own code ran, whatever it
// said, and also when it hung or ended the process), EPERM, ENOSYS, SIGSYS; for splice, tee and vmsplice also
// EINVAL, for socket and socketpair EAFNOSUPPORT, the errnos by which the policy refuses those.
//
// Arguments are zeros, except where zeros make an allowed call answer EPERM of its own accord, which would
// look like a refusal: there they are a no-op (see kHarmlessArguments). setgroups has no such arguments and
// says EPERM to the user.
#include <fcntl.h>
#include <time.h>

#include "probe.h"
#include "syscall_names.h"

enum { kNumbers = 512, kHangMillis = 300, kPollMillis = 1 };

struct answer {
  bool returned;
  long value;
};

struct arguments {
  long number;
  long values[3];
};

static const struct arguments kHarmlessArguments[] = {
    {SYS_setuid, {-1, 0, 0}},         // to "no id": EINVAL instead of becoming root
    {SYS_setgid, {-1, 0, 0}},         //
    {SYS_setreuid, {-1, -1, 0}},      // -1 keeps the id as it is
    {SYS_setregid, {-1, -1, 0}},      //
    {SYS_setresuid, {-1, -1, -1}},    //
    {SYS_setresgid, {-1, -1, -1}},    //
    {SYS_fchown, {0, -1, -1}},        //
    {SYS_setpriority, {9, 0, 0}},     // no such kind of target
    {SYS_clock_settime, {99, 0, 0}},  // no such clock
};

static struct arguments arguments_of(long number) {
  for (size_t i = 0; i < sizeof kHarmlessArguments / sizeof kHarmlessArguments[0]; i++) {
    if (kHarmlessArguments[i].number == number) return kHarmlessArguments[i];
  }
  return (struct arguments){number, {0, 0, 0}};
}

// Inlined so that a vfork child, which borrows this very stack, never returns from a function the parent is
// still in.
__attribute__((always_inline)) static inline long raw_syscall(long number, const long* values) {
  register long fourth __asm__("r10") = 0;
  register long fifth __asm__("r8") = 0;
  register long sixth __asm__("r9") = 0;
  long result = number;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(values[0]), "S"(values[1]), "d"(values[2]), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}

static bool returns_twice(long number) {
  return number == SYS_fork || number == SYS_vfork || number == SYS_clone || number == SYS_clone3;
}

// exit, not exit_group: it is the one that seccomp's strict mode, which call 317 turns on, still permits.
__attribute__((noreturn)) static void attempt(long number, volatile struct answer* answer) {
  int ends[2];
  // Descriptor 0 is what most calls with zero arguments act upon: a pipe of our own, never the caller's
  // input.
  if (pipe(ends) == 0) dup2(ends[0], 0);
  const struct arguments arguments = arguments_of(number);
  const long none[3] = {0, 0, 0};
  const long value = raw_syscall(number, arguments.values);
  if (returns_twice(number) && value == 0) raw_syscall(SYS_exit, none);
  answer->value = value;
  answer->returned = true;
  raw_syscall(SYS_exit, none);
  __builtin_unreachable();
}

// Returns the wait status; a child that hangs is killed, which says that its call was allowed.
static int wait_or_kill(pid_t child) {
  const struct timespec pause_time = {.tv_nsec = kPollMillis * 1000000L};
  int status = 0;
  for (int waited = 0; waited < kHangMillis; waited += kPollMillis) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    nanosleep(&pause_time, NULL);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return status;
}

static bool is_refusal(long number, long error) {
  if (error == EPERM || error == ENOSYS) return true;
  if (number == SYS_splice || number == SYS_tee || number == SYS_vmsplice) return error == EINVAL;
  if (number == SYS_socket || number == SYS_socketpair) return error == EAFNOSUPPORT;
  return false;
}

static const char* verdict(long number, const struct answer* answer, int status) {
  if (!answer->returned) return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS ? "SIGSYS" : "allow";
  return answer->value < 0 && is_refusal(number, -answer->value) ? errno_name((int)-answer->value) : "allow";
}

int main(void) {
  struct answer* answer =
      mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (answer == MAP_FAILED) give_up("mmap");
  for (long number = 0; number < kNumbers; number++) {
    *answer = (struct answer){0};
    const pid_t child = fork();
    if (child < 0) give_up("fork for call %ld", number);
    if (child == 0) attempt(number, answer);
    const int status = wait_or_kill(child);
    fact("syscall", "%ld %s %s", number, syscall_name((size_t)number), verdict(number, answer, status));
  }
  return 0;
}
