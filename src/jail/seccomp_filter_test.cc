#include "jail/seccomp_filter.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/futex.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "jail/plan.h"
#include "jail/seccomp_calls.h"
#include "jail/seccomp_model.h"

namespace jail {
namespace {

constexpr std::uint64_t kHighBit = std::uint64_t{1} << 32;
using enum SeccompProfile;
using Args = std::array<std::uint64_t, 6>;

std::uint32_t answer(std::span<const sock_filter> program, const seccomp_data& data) {
  BpfCoverage coverage(program.size());
  return run_bpf(program, data, coverage).action;
}

seccomp_data native_call(int number, const Args& args) {
  seccomp_data data{.nr = number, .arch = AUDIT_ARCH_X86_64, .instruction_pointer = 0, .args = {}};
  std::ranges::copy(args, data.args);
  return data;
}

class Filter {
 public:
  explicit Filter(SeccompProfile profile) : program_(build_filter(profile).value()) {}

  std::uint32_t number(int number, const Args& args = {}) const {
    return answer(program_, native_call(number, args));
  }
  // 0 when let through, else the errno.
  int call(std::string_view name, const Args& args = {}) const {
    const std::uint32_t action = number(call_number(name).value(), args);
    if (action == SECCOMP_RET_ALLOW) return 0;
    EXPECT_EQ(action & SECCOMP_RET_ACTION_FULL, SECCOMP_RET_ERRNO);
    return static_cast<int>(action & SECCOMP_RET_DATA);
  }

 private:
  std::vector<sock_filter> program_;
};

std::string golden_path() {
  const std::string here = __FILE__;
  return here.substr(0, here.rfind('/')) + "/seccomp_golden.txt";
}

std::string sweep() {
  std::array filters{Filter(kUser),
                     Filter(kUserNoSetid),
                     Filter(kRoot),
                     Filter(kInit),
                     Filter(SeccompProfile::kSpawner),
                     Filter(SeccompProfile::kZygote)};
  std::ostringstream out;
  out << "# Verdict of every x86-64 system call number with all arguments 0.\n"
         "# Rewrite: COVE_WRITE_GOLDEN=1 jail_test --gtest_filter='*GoldenTable*', then read the "
         "difference.\n"
         "# number name user user-no-setid root init spawner\n";
  for (int number = 0; number < kCallNumberLimit; ++number) {
    out << number << ' ' << call_name(number).value_or("-");
    for (const Filter& filter : filters) {
      const std::uint32_t action = filter.number(number);
      auto verdict = static_cast<SeccompVerdict>(action & SECCOMP_RET_DATA);
      if (action == SECCOMP_RET_ERRNO) verdict = SeccompVerdict::kPretend;
      out << ' ' << (action == SECCOMP_RET_ALLOW ? "allow" : name_of(verdict));
    }
    out << '\n';
  }
  return out.str();
}

TEST(SeccompFilter, MatchesTheGoldenTable) {
  const std::string found = sweep();
  if (std::getenv("COVE_WRITE_GOLDEN") != nullptr) std::ofstream(golden_path()) << found;
  std::ifstream file(golden_path());
  std::istringstream found_lines(found);
  std::string wanted;
  std::string line;
  while (std::getline(found_lines, line)) {
    ASSERT_TRUE(std::getline(file, wanted)) << golden_path() << " ends before: " << line;
    EXPECT_EQ(line, wanted);
  }
  EXPECT_FALSE(std::getline(file, wanted)) << "left over: " << wanted;
}

TEST(SeccompFilter, FitsTheKernelAndIsReproducible) {
  for (const SeccompProfile profile : kSeccompProfiles) {
    const auto program = build_filter(profile).value();
    EXPECT_LE(program.size(), std::size_t{BPF_MAXINSNS});
    EXPECT_EQ(filter_hash(program), filter_hash(build_filter(profile).value()));
    EXPECT_EQ(filter_hash(program).size(), 16u);
  }
  EXPECT_NE(filter_hash(build_filter(kUser).value()), filter_hash(build_filter(kInit).value()));
}

TEST(SeccompFilter, DecidesCallsWithoutArgumentRulesByNumberAlone) {
  for (const SeccompProfile profile : kSeccompProfiles) {
    const auto program = build_filter(profile).value();
    const SeccompModel model(profile);
    BpfCoverage coverage(program.size());
    for (const SystemCall& call : system_calls()) {
      const auto outcome = run_bpf(program, native_call(call.number, {}), coverage);
      EXPECT_EQ(outcome.read_arguments, model.has_argument_rules(call.number)) << call.name;
    }
  }
}

TEST(SeccompFilter, RefusesNewNamespaces) {
  const Filter filter(kUser);
  for (const std::uint64_t flag : {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER,
                                   CLONE_NEWPID, CLONE_NEWNET}) {
    EXPECT_EQ(filter.call("clone", {flag | SIGCHLD}), EPERM);
    EXPECT_EQ(filter.call("clone", {flag | kHighBit | CLONE_VM}), EPERM);
    EXPECT_EQ(filter.call("unshare", {flag}), EPERM);
    EXPECT_EQ(filter.call("setns", {3, flag}), EPERM);
  }
  EXPECT_EQ(filter.call("clone3"), ENOSYS);
  EXPECT_EQ(filter.call("clone", {SIGCHLD}), 0);
  EXPECT_EQ(filter.call("clone", {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                                  CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID}),
            0);
}

TEST(SeccompFilter, KnowsFourSocketFamilies) {
  const Filter filter(kUser);
  for (std::uint64_t family = 0; family <= 50; ++family) {
    const bool ordinary =
        family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
    for (const std::uint64_t high : {std::uint64_t{0}, kHighBit}) {
      const int wanted = ordinary ? 0 : EAFNOSUPPORT;
      EXPECT_EQ(filter.call("socket", {family | high, SOCK_DGRAM, 0}), wanted) << family;
      EXPECT_EQ(filter.call("socketpair", {family | high, SOCK_STREAM, 0}),
                family == AF_UNIX ? 0 : EAFNOSUPPORT);
    }
  }
}

TEST(SeccompFilter, KnowsTcpAndUdpOnly) {
  const Filter filter(kUser);
  for (const std::uint64_t family : {AF_INET, AF_INET6}) {
    for (std::uint64_t protocol = 0; protocol <= 262; ++protocol) {
      const bool known = protocol == 0 || protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
      const int wanted = known ? 0 : EPROTONOSUPPORT;
      EXPECT_EQ(filter.call("socket", {family, SOCK_STREAM | SOCK_CLOEXEC, protocol}), wanted) << protocol;
      EXPECT_EQ(filter.call("socket", {family, SOCK_DGRAM | SOCK_NONBLOCK, protocol | kHighBit}), wanted);
      EXPECT_EQ(filter.call("socket", {family, SOCK_RAW, protocol}), EPROTONOSUPPORT);
      EXPECT_EQ(filter.call("socket", {family, SOCK_RAW | SOCK_CLOEXEC, protocol}), EPROTONOSUPPORT);
    }
    for (const std::uint64_t type : {SOCK_SEQPACKET, SOCK_DCCP, SOCK_PACKET, SOCK_RDM}) {
      EXPECT_EQ(filter.call("socket", {family, type, 0}), EPROTONOSUPPORT);
    }
  }
}

TEST(SeccompFilter, KnowsRouteNetlinkOnly) {
  const Filter filter(kUser);
  for (std::uint64_t protocol = 0; protocol < 32; ++protocol) {
    EXPECT_EQ(filter.call("socket", {AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol}),
              protocol == NETLINK_ROUTE ? 0 : EPROTONOSUPPORT);
  }
}

struct SocketOption {
  std::uint64_t level, option;
};

TEST(SeccompFilter, RefusesSocketOptionsThatReachOtherSubsystems) {
  const Filter filter(kUser);
  for (const SocketOption& refused : std::to_array<SocketOption>({
           {1, 26},
           {1, 50},
           {1, 51},
           {1, 52},
           {1, 60},
           {6, 31},
           {6, 14},
           {0, 16},
           {0, 17},
           {0, 64},
           {41, 34},
           {41, 35},
           {17, 100},
           {279, 1},
           {282, 1},
           {284, 1},
           {0xffff, 0},
       })) {
    EXPECT_EQ(filter.call("setsockopt", {3, refused.level, refused.option}), ENOPROTOOPT);
    EXPECT_EQ(filter.call("setsockopt", {3, refused.level | kHighBit, refused.option | kHighBit}),
              ENOPROTOOPT);
  }
}

TEST(SeccompFilter, LetsOrdinarySocketOptionsThrough) {
  const Filter filter(kUser);
  for (const SocketOption& ordinary : std::to_array<SocketOption>({
           {SOL_SOCKET, SO_REUSEADDR},
           {SOL_SOCKET, SO_REUSEPORT},
           {SOL_SOCKET, SO_PASSCRED},
           {IPPROTO_TCP, 1 /* TCP_NODELAY */},
           {IPPROTO_TCP, 13 /* TCP_CONGESTION */},
           {IPPROTO_IP, IP_TOS},
           {IPPROTO_IP, IP_ADD_MEMBERSHIP},
           {IPPROTO_IPV6, IPV6_V6ONLY},
           {IPPROTO_UDP, 103 /* UDP_SEGMENT */},
           {270 /* SOL_NETLINK */, 1},
       })) {
    EXPECT_EQ(filter.call("setsockopt", {3, ordinary.level, ordinary.option}), 0);
  }
}

TEST(SeccompFilter, RefusesTerminalInjectionWhateverTheHighBits) {
  const Filter filter(kUser);
  for (const std::uint64_t command : {TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS}) {
    EXPECT_EQ(filter.call("ioctl", {0, command}), EPERM);
    for (int bit = 32; bit < 64; ++bit) {
      EXPECT_EQ(filter.call("ioctl", {0, command | std::uint64_t{1} << bit}), EPERM);
    }
  }
  for (const std::uint64_t command : {TCGETS, TIOCGWINSZ, TIOCSWINSZ, TIOCSCTTY, FIONREAD}) {
    EXPECT_EQ(filter.call("ioctl", {0, command}), 0);
  }
}

TEST(SeccompFilter, RefusesRequeueingToPriorityInheritingLocks) {
  const Filter filter(kUser);
  for (const std::uint64_t flags :
       {0, FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME, FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME}) {
    for (const std::uint64_t command : {FUTEX_WAIT_REQUEUE_PI, FUTEX_CMP_REQUEUE_PI}) {
      EXPECT_EQ(filter.call("futex", {0, command | flags}), ENOSYS);
      EXPECT_EQ(filter.call("futex", {0, command | flags | kHighBit}), ENOSYS);
    }
    for (const std::uint64_t command :
         {FUTEX_WAIT, FUTEX_WAKE, FUTEX_CMP_REQUEUE, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, FUTEX_UNLOCK_PI}) {
      EXPECT_EQ(filter.call("futex", {0, command | flags}), 0);
    }
  }
}

TEST(SeccompFilter, JudgesProcessSettings) {
  const Filter filter(kUser);
  EXPECT_EQ(filter.call("prctl", {PR_SET_MM}), EPERM);
  EXPECT_EQ(filter.call("prctl", {PR_SET_PTRACER | kHighBit}), EPERM);
  EXPECT_EQ(filter.call("prctl", {PR_SET_NAME}), 0);
  EXPECT_EQ(filter.call("prctl", {PR_SET_NO_NEW_PRIVS}), 0);
  for (const std::uint64_t harmless : {0x0u, 0x8u, 0x20000u, 0x20008u, 0xffffffffu}) {
    EXPECT_EQ(filter.call("personality", {harmless}), 0);
    EXPECT_EQ(filter.call("personality", {harmless | kHighBit}), 0);
  }
  for (const std::uint64_t refused : {0x0400000u /* READ_IMPLIES_EXEC */, 0x0040000u /* ADDR_NO_RANDOMIZE */,
                                      0x0100000u /* MMAP_PAGE_ZERO */, 0x20009u}) {
    EXPECT_EQ(filter.call("personality", {refused}), EPERM);
    EXPECT_EQ(filter.call("personality", {refused | kHighBit}), EPERM);
  }
}

TEST(SeccompFilter, LeavesTheIdOfInitToInit) {
  constexpr std::uint64_t kKeep = 0xffff'ffff;
  const Filter filter(kRoot);
  for (const std::uint64_t init : {std::uint64_t{kInitId}, kInitId | kHighBit}) {
    for (const char* call : {"setuid", "setfsuid"}) EXPECT_EQ(filter.call(call, {init}), EPERM) << call;
    for (const Args& ids : {Args{init, kKeep, kKeep}, Args{kKeep, init, kKeep}}) {
      EXPECT_EQ(filter.call("setreuid", ids), EPERM);
      EXPECT_EQ(filter.call("setresuid", ids), EPERM);
    }
    EXPECT_EQ(filter.call("setresuid", {kKeep, kKeep, init}), EPERM);
  }
  EXPECT_EQ(filter.call("setresuid", {kUserId, kUserId, kUserId}), 0);
  EXPECT_EQ(Filter(SeccompProfile::kSpawner).call("setresuid", {kInitId, kInitId, kInitId}), 0);
}

TEST(SeccompFilter, KeepsTheCoreLimitAsItIs) {
  constexpr auto kPretended = static_cast<std::uint32_t>(SECCOMP_RET_ERRNO);
  const int set = call_number("setrlimit").value();
  const int both = call_number("prlimit64").value();
  for (const SeccompProfile profile : {kUser, kUserNoSetid, kRoot}) {
    const Filter filter(profile);
    EXPECT_EQ(filter.number(set, {RLIMIT_CORE, 0x1000}), kPretended);
    EXPECT_EQ(filter.number(set, {RLIMIT_CORE | kHighBit, 0x1000}), kPretended);
    EXPECT_EQ(filter.number(set, {RLIMIT_STACK, 0x1000}), SECCOMP_RET_ALLOW);
    EXPECT_EQ(filter.number(both, {0, RLIMIT_CORE, 0x1000, 0}), kPretended);
    EXPECT_EQ(filter.number(both, {0, RLIMIT_CORE, kHighBit, 0}), kPretended) << "a pointer, not null";
    EXPECT_EQ(filter.number(both, {0, RLIMIT_CORE, 0, 0x1000}), SECCOMP_RET_ALLOW) << "only reads";
    EXPECT_EQ(filter.number(both, {0, RLIMIT_NOFILE, 0x1000, 0}), SECCOMP_RET_ALLOW);
  }
  EXPECT_EQ(Filter(SeccompProfile::kSpawner).number(set, {RLIMIT_CORE, 0x1000}), SECCOMP_RET_ALLOW);
}

TEST(SeccompFilter, MakesNoDevices) {
  using enum SeccompProfile;
  for (const SeccompProfile profile : {kUser, kUserNoSetid, kRoot, kInit}) {
    const Filter filter(profile);
    for (const std::uint64_t type : {S_IFCHR, S_IFBLK}) {
      EXPECT_EQ(filter.call("mknod", {0, type | 0600}), EPERM);
      EXPECT_EQ(filter.call("mknodat", {0, 0, type | 0600 | kHighBit}), EPERM);
    }
    for (const std::uint64_t type : {0, S_IFREG, S_IFIFO, S_IFSOCK}) {
      EXPECT_EQ(filter.call("mknod", {0, type | 0600}), 0);
      EXPECT_EQ(filter.call("mknodat", {0, 0, type | 0600}), 0);
    }
  }
}

TEST(SeccompFilter, LeavesNoSetIdFilesInHostDirectories) {
  const Filter guarded(kUserNoSetid);
  const Filter plain(kUser);
  for (const std::uint64_t mode : {04755, 02755, 06755}) {
    const std::array<std::pair<const char*, Args>, 10> ways{{{"chmod", {0, mode}},
                                                             {"fchmod", {0, mode | kHighBit}},
                                                             {"fchmodat", {0, 0, mode}},
                                                             {"fchmodat2", {0, 0, mode}},
                                                             {"creat", {0, mode}},
                                                             {"mknod", {0, S_IFREG | mode}},
                                                             {"mknodat", {0, 0, S_IFREG | mode}},
                                                             {"open", {0, O_CREAT | O_WRONLY, mode}},
                                                             {"openat", {0, 0, O_CREAT | O_RDWR, mode}},
                                                             {"openat", {0, 0, O_TMPFILE | O_RDWR, mode}}}};
    for (const auto& [name, args] : ways) {
      EXPECT_EQ(guarded.call(name, args), EPERM) << name;
      EXPECT_EQ(plain.call(name, args), 0) << name;
    }
  }
  EXPECT_EQ(guarded.call("openat2"), ENOSYS);
  EXPECT_EQ(guarded.call("chmod", {0, 01777}), 0);
  EXPECT_EQ(guarded.call("openat", {0, 0, O_CREAT | O_WRONLY, 0644}), 0);
  // Without creation the mode register holds leftovers.
  EXPECT_EQ(guarded.call("openat", {0, 0, O_RDONLY | O_DIRECTORY, 06755}), 0);
}

TEST(SeccompFilter, StartsProcessesInCgroupsFromInitOnly) {
  EXPECT_EQ(Filter(kInit).call("clone3"), 0);
  for (const SeccompProfile profile : {kUser, kUserNoSetid, kRoot}) {
    EXPECT_EQ(Filter(profile).call("clone3"), ENOSYS);
  }
  for (const char* needed : {"seccomp", "prctl", "capset", "setresuid", "setresgid", "setgroups"}) {
    EXPECT_EQ(Filter(kInit).call(needed), 0) << needed;
  }
}

TEST(AbiGate, KillsForeignArchitectures) {
  for (const std::uint32_t arch :
       std::to_array<std::uint32_t>({AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM, 0})) {
    seccomp_data data = native_call(39, {});
    data.arch = arch;
    EXPECT_EQ(answer(abi_gate(), data), SECCOMP_RET_KILL_PROCESS);
    for (const SeccompProfile profile : kSeccompProfiles) {
      const std::uint32_t later = answer(build_filter(profile).value(), data);
      EXPECT_EQ(strictest(answer(abi_gate(), data), later), SECCOMP_RET_KILL_PROCESS);
    }
  }
}

TEST(AbiGate, AnswersX32NumbersWithEnosys) {
  for (const std::uint32_t number :
       {0x40000000u, 0x40000000u | 39, 0x40000000u | 520, 0x7fffffffu, 0x80000000u, 0xfffffffeu}) {
    EXPECT_EQ(answer(abi_gate(), native_call(static_cast<int>(number), {})), SECCOMP_RET_ERRNO | ENOSYS);
  }
  EXPECT_EQ(answer(abi_gate(), native_call(-1, {})), SECCOMP_RET_ALLOW);
  EXPECT_EQ(answer(abi_gate(), native_call(39, {})), SECCOMP_RET_ALLOW);
}

}  // namespace
}  // namespace jail
