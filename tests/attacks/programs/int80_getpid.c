// Row A02. Calls the kernel through the 32-bit ABI, where numbers and argument layouts differ: a filter
// written for x86-64 numbers sees other calls there, and socketcall hides the address family behind a
// pointer. Mechanism: seccomp's architecture check. Expected: SIGSYS kills the caller (or ENOSYS). Usage:
// int80_getpid [path of elf32_socketcall]
#include <sys/socket.h>

#include "probe.h"

enum { kI386Getpid = 20, kI386Socketcall = 102, kI386SocketcallSocket = 1 };

static long int80(long number, long first, long second) {
  long result = number;
  __asm__ volatile("int $0x80" : "+a"(result) : "b"(first), "c"(second) : "memory", "r8", "r9", "r10", "r11");
  // The 32-bit ABI answers in 32 bits.
  const int answer = (int)result;
  if (answer >= -4095 && answer < 0) {
    errno = -answer;
    return -1;
  }
  return answer;
}

static long getpid_by_int80(const void* unused) {
  (void)unused;
  return int80(kI386Getpid, 0, 0);
}

// The 32-bit ABI can only point at low addresses.
static long socketcall_by_int80(const void* family) {
  unsigned* arguments =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (arguments == MAP_FAILED) return -1;
  arguments[0] = (unsigned)*(const int*)family;
  arguments[1] = SOCK_STREAM;
  arguments[2] = 0;
  return int80(kI386Socketcall, kI386SocketcallSocket, (long)arguments);
}

static long run_elf32(const void* path) {
  execl(path, path, (char*)NULL);
  return -1;
}

// The 32-bit program exits with 0 once its int 0x80 calls were answered.
static void probe_elf32(struct probes* probes, const char* path) {
  const struct child_result result = in_child(run_elf32, path);
  if (result.returned) {
    probe_refused(probes, "elf32_program", errno_name(result.error));
  } else if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0) {
    probe_worked(probes, "elf32_program", "ran");
  } else if (WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGSYS) {
    probe_refused(probes, "elf32_program", "SIGSYS");
  } else {
    probe_refused(probes, "elf32_program", "did_not_run");
  }
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  const int unix_family = AF_UNIX;
  const int vsock_family = AF_VSOCK;
  probe_in_child(&probes, "int80_getpid", getpid_by_int80, NULL, REFUSED_BY(ENOSYS));
  probe_in_child(&probes, "int80_socketcall_unix", socketcall_by_int80, &unix_family, REFUSED_BY(ENOSYS));
  probe_in_child(&probes, "int80_socketcall_vsock", socketcall_by_int80, &vsock_family, REFUSED_BY(ENOSYS));
  if (argc > 1) probe_elf32(&probes, argv[1]);
  twin(&probes, "native_getpid", syscall(SYS_getpid) == getpid());
  return probes_exit_code(&probes);
}
