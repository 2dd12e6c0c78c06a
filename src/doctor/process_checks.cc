// How processes are started, watched, filtered.
#include <elf.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "doctor/check.h"
#include "doctor/child.h"
#include "doctor/refusal.h"
#include "sys/process.h"
#include "sys/seccomp.h"

namespace doctor {

using base::Code;
using base::Result;

namespace {

constexpr int kProgramExitCode = 42;

// The smallest program there is: exit(42). Real, so that running it proves that a memfd can be executed.
std::string smallest_program() {
  constexpr std::uint64_t kAddress = 0x400000;
  // mov edi, 42; mov eax, 60 (exit); syscall
  constexpr std::array<unsigned char, 12> kCode = {0xbf, kProgramExitCode, 0, 0, 0, 0xb8, 60, 0, 0, 0, 0x0f,
                                                   0x05};
  constexpr std::size_t kHeaders = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  const Elf64_Ehdr file{.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                        .e_type = ET_EXEC,
                        .e_machine = EM_X86_64,
                        .e_version = EV_CURRENT,
                        .e_entry = kAddress + kHeaders,
                        .e_phoff = sizeof(Elf64_Ehdr),
                        .e_ehsize = sizeof(Elf64_Ehdr),
                        .e_phentsize = sizeof(Elf64_Phdr),
                        .e_phnum = 1};
  const Elf64_Phdr segment{.p_type = PT_LOAD,
                           .p_flags = PF_R | PF_X,
                           .p_vaddr = kAddress,
                           .p_filesz = kHeaders + kCode.size(),
                           .p_memsz = kHeaders + kCode.size(),
                           .p_align = 0x1000};
  std::string out(kHeaders + kCode.size(), '\0');
  std::memcpy(out.data(), &file, sizeof file);
  std::memcpy(out.data() + sizeof file, &segment, sizeof segment);
  std::memcpy(out.data() + kHeaders, kCode.data(), kCode.size());
  return out;
}

Result<std::string> try_sealed_memfd(const Host&) {
  ASSIGN_OR_RETURN(const auto program, sys::sealed_memfd("doctor", smallest_program(), 0111));
  RETURN_IF_ERROR(must_fail_with(EPERM, sys::write_all(program.get(), "x"), "a sealed memfd can be written"));
  ASSIGN_OR_RETURN(const pid_t pid, fork_process());
  if (pid == 0) {
    std::array<char*, 1> none = {nullptr};
    std::array<char, 7> name = {"doctor"};
    std::array<char*, 2> argv = {name.data(), nullptr};
    const auto failed = sys::execveat(program.get(), argv.data(), none.data());
    ::_exit(failed.error().sys_errno);
  }
  int status = 0;
  if (TEMP_FAILURE_RETRY(::waitpid(pid, &status, 0)) < 0) return base::failed_call("waitpid");
  if (WIFEXITED(status) && WEXITSTATUS(status) == kProgramExitCode) return "ran a program from one";
  if (WIFEXITED(status)) return base::failed_call("execveat(sealed memfd)", WEXITSTATUS(status));
  return base::fail(Code::kInternal,
                    "a program in a memfd was killed by signal " + std::to_string(WTERMSIG(status)));
}

bool is_readable(int fd) {
  pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, 0) == 1;
}

Result<std::string> try_pidfd(const Host&) {
  ASSIGN_OR_RETURN(const pid_t pid, fork_process());
  if (pid == 0) {
    while (true) ::pause();
  }
  const auto outcome = [&] -> Result<std::string> {
    ASSIGN_OR_RETURN(const auto pidfd, sys::pidfd_open(pid));
    if (is_readable(pidfd.get())) return base::fail(Code::kInternal, "a living process counts as ended");
    RETURN_IF_ERROR(sys::pidfd_kill(pidfd.get(), SIGKILL));
    ASSIGN_OR_RETURN(const auto status, sys::wait_pidfd(pidfd.get()));
    if (status.signal != SIGKILL) return base::fail(Code::kInternal, "the signal did not arrive");
    return "opened, signalled, waited for";
  }();
  if (!outcome) (void)::kill(pid, SIGKILL);
  return outcome;
}

Result<> action_available(std::uint32_t action, const char* name) {
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0) return {};
  return base::failed_call(std::string("seccomp(GET_ACTION_AVAIL, ") + name + ")");
}

// Refuses getppid, which nothing in this process needs any more, and looks whether it is refused.
Result<std::string> try_seccomp(const Host&) {
  RETURN_IF_ERROR(action_available(SECCOMP_RET_KILL_PROCESS, "KILL_PROCESS"));
  RETURN_IF_ERROR(action_available(SECCOMP_RET_ERRNO, "ERRNO"));
  RETURN_IF_ERROR(sys::set_no_new_privs());
  const std::array<sock_filter, 6> filter = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  RETURN_IF_ERROR(sys::install_seccomp_filter(filter));
  if (::syscall(SYS_getppid) != -1 || errno != EXDEV) {
    return base::fail(Code::kInternal, "a filter was installed and refuses nothing");
  }
  return "a filter was installed and refused a call";
}

constexpr std::array kChecks = {
    Check{.id = "seccomp.filter",
          .level = Level::kRequired,
          .needed = "filters with KILL_PROCESS and ERRNO",
          .why = "a sandbox may use an allowlist of system calls only",
          .fix = "the kernel needs CONFIG_SECCOMP_FILTER",
          .attempt = try_seccomp,
          .needs = Needs::kNothing},
    Check{.id = "memfd.seal",
          .level = Level::kRequired,
          .needed = "a sealed memfd that can be executed",
          .why = "a sandbox's first process runs from one, so that nobody inside can change it",
          .fix = "sysctl -w vm.memfd_noexec=0",
          .attempt = try_sealed_memfd,
          .needs = Needs::kNothing},
    Check{.id = "pidfd",
          .level = Level::kRequired,
          .needed = "pidfd_open, pidfd_send_signal, waitid(P_PIDFD)",
          .why = "a process number may be reused by another process; a descriptor may not",
          .fix = "boot Linux 5.4 or later",
          .attempt = try_pidfd,
          .needs = Needs::kNothing},
};

}  // namespace

std::span<const Check> process_checks() { return kChecks; }

}  // namespace doctor
