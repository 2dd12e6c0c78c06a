// The filters in the running kernel: a child installs them as a sandbox's process does and tries a few calls.
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "jail/seccomp_filter.h"
#include "sys/process.h"
#include "sys/seccomp.h"

namespace jail {
namespace {

// The wait status of a child that runs `attempt` under the gate and the profile's filter, and exits with its
// result.
template <class Attempt>
int status_under(SeccompProfile profile, Attempt attempt) {
  const auto gate = abi_gate();
  const auto filter = build_filter(profile).value();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool ready =
        sys::set_no_new_privs() && sys::install_seccomp_filter(gate) && sys::install_seccomp_filter(filter);
    ::_exit(ready ? attempt() : 255);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

// 0 when the child's attempt found everything as it should be, else the number of the first surprise.
template <class Attempt>
int exit_code_under(SeccompProfile profile, Attempt attempt) {
  const int status = status_under(profile, attempt);
  EXPECT_TRUE(WIFEXITED(status)) << "status " << status;
  return WEXITSTATUS(status);
}

bool fails_with(int wanted, long result) { return result == -1 && errno == wanted; }

int refused_calls() {
  constexpr long kHighBit = 1L << 32;
  if (!fails_with(EPERM, ::syscall(SYS_bpf, BPF_MAP_CREATE, nullptr, 0))) return 1;
  if (!fails_with(EAFNOSUPPORT, ::socket(AF_VSOCK, SOCK_STREAM, 0))) return 2;
  if (!fails_with(EAFNOSUPPORT, ::syscall(SYS_socket, AF_VSOCK | kHighBit, SOCK_STREAM, 0))) return 3;
  if (!fails_with(EPROTONOSUPPORT, ::socket(AF_INET, SOCK_STREAM, 262))) return 4;
  if (!fails_with(EPERM, ::unshare(CLONE_NEWUSER))) return 5;
  if (!fails_with(EPERM, ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0))) return 6;
  if (!fails_with(ENOSYS, ::syscall(SYS_clone3, nullptr, 0))) return 7;
  if (!fails_with(EINVAL, ::syscall(SYS_tee, 0, 1, 1, 0))) return 8;
  if (!fails_with(EPERM, ::syscall(SYS_ioctl, -1, TIOCSTI | kHighBit, nullptr))) return 9;
  if (!fails_with(EPERM, ::syscall(SYS_io_uring_setup, 1, nullptr))) return 10;
  if (!fails_with(ENOSYS, ::syscall(0x40000000 | SYS_getpid))) return 11;
  if (!fails_with(ENOSYS, ::syscall(510))) return 12;
  if (!fails_with(ENOSYS, ::syscall(SYS_io_setup, 1, nullptr))) return 13;
  constexpr long kHuge = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB;
  if (!fails_with(EPERM, ::syscall(SYS_mmap, 0, 2 << 20, PROT_READ, kHuge | kHighBit, -1, 0))) return 14;
  if (!fails_with(EPERM, ::syscall(SYS_memfd_create, "huge", MFD_HUGETLB))) return 15;
  if (!fails_with(EPERM, ::syscall(SYS_shmget, IPC_PRIVATE, 2 << 20, SHM_HUGETLB | IPC_CREAT))) return 16;
  return 0;
}

int ordinary_calls() {
  if (::syscall(SYS_sync) != 0) return 10;  // answered, not done
  int ends[2];
  if (::pipe(ends) != 0 || ::write(ends[1], "x", 1) != 1) return 1;
  char byte = 0;
  if (::read(ends[0], &byte, 1) != 1 || byte != 'x') return 2;
  if (::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0) return 3;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return 4;
  int sum = 0;
  std::thread([&sum] { sum = 2; }).join();
  if (sum != 2) return 5;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(7);
  int status = 0;
  if (::waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) return 6;
  return 0;
}

int shell_pipeline() {
  return std::system("test \"$(seq 100 | sort -rn | head -1 | cat)\" = 100") == 0 ? 0 : 1;
}

int number_of_filters() {
  char line[128];
  int filters = 0;
  std::FILE* const status = std::fopen("/proc/self/status", "re");
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr) {
    std::sscanf(line, "Seccomp_filters: %d", &filters);
  }
  return filters;
}

TEST(SeccompInTheKernel, RefusesWhatThePolicyRefuses) {
  EXPECT_EQ(exit_code_under(SeccompProfile::kUser, refused_calls), 0);
}

TEST(SeccompInTheKernel, LetsOrdinaryProgramsRun) {
  for (const SeccompProfile profile : kSeccompProfiles) {
    EXPECT_EQ(exit_code_under(profile, ordinary_calls), 0) << name_of(profile);
    EXPECT_EQ(exit_code_under(profile, shell_pipeline), 0) << name_of(profile);
  }
}

TEST(SeccompInTheKernel, CountsBothFilters) {
  const int outside = number_of_filters();
  EXPECT_EQ(exit_code_under(SeccompProfile::kUser, number_of_filters), outside + 2);
}

TEST(SeccompInTheKernel, LetsInitNarrowItsChildren) {
  const auto user = build_filter(SeccompProfile::kUser).value();
  const int surprise = exit_code_under(SeccompProfile::kInit, [&user] {
    // Allowed, and refused by the kernel for its arguments.
    if (!fails_with(EINVAL, ::syscall(SYS_clone3, nullptr, 0))) return 100;
    if (!sys::install_seccomp_filter(user)) return 101;
    return refused_calls();
  });
  EXPECT_EQ(surprise, 0);
}

TEST(SeccompInTheKernel, ChangesNoCoreLimit) {
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_CORE, &usual), 0);
  ASSERT_NE(usual.rlim_max, 0U);
  const rlimit one{.rlim_cur = 1, .rlim_max = usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_CORE, &one), 0);
  const int surprise = exit_code_under(SeccompProfile::kUser, [] {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    rlimit after{};
    if (::setrlimit(RLIMIT_CORE, &none) != 0) return 2;
    if (::syscall(SYS_setrlimit, RLIMIT_CORE, &none) != 0) return 3;
    // A pointer whose low half is zero is not null.
    // By the call itself, at the first place that is free: a sanitizer has memory of its own everywhere.
    long page = -1;
    for (int bit = 32; page == -1 && bit < 47; ++bit) {
      page = ::syscall(SYS_mmap, 1L << bit, 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    }
    if (page == -1 || ::syscall(SYS_prlimit64, 0, RLIMIT_CORE, page, nullptr) != 0) return 4;
    if (::getrlimit(RLIMIT_CORE, &after) != 0) return 5;
    return after.rlim_cur == 1 && after.rlim_max != 0 ? 0 : 6;
  });
  ASSERT_EQ(::setrlimit(RLIMIT_CORE, &usual), 0);
  EXPECT_EQ(surprise, 0);
}

TEST(SeccompInTheKernel, KillsThe32BitInterface) {
  const int status = status_under(SeccompProfile::kUser, [] {
    long result = 20;  // getpid
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    return 0;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSYS);
}

}  // namespace
}  // namespace jail
