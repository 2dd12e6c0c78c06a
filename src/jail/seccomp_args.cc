// The argument rules of the policy. First match wins, call by call; see seccomp_table.h.
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/udp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "jail/plan.h"
#include "jail/seccomp_table.h"

namespace jail {
namespace {

using enum SeccompVerdict;

// For arguments that the kernel declares as int or unsigned int.
constexpr std::uint64_t kLow32 = 0xffff'ffff;

constexpr std::uint64_t kSocketType = kLow32 & ~std::uint64_t{SOCK_CLOEXEC | SOCK_NONBLOCK};
constexpr std::uint64_t kFutexCommand = kLow32 & ~std::uint64_t{FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME};

// clone takes an unsigned long and the kernel keeps its low half. CLONE_NEWTIME is absent: its bit belongs to
// the exit signal here and means a namespace to clone3 and unshare only.
constexpr std::uint64_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

// Modes are 16 bits wide to the kernel; both masks lie within.
constexpr std::uint64_t kFileType = S_IFMT;
constexpr std::uint64_t kSetId = S_ISUID | S_ISGID;
constexpr ProfileSet kNoSetid = only(SeccompProfile::kUserNoSetid);

// Without one of these the mode argument of open is whatever the register held.
constexpr std::uint64_t kTmpfileBit = O_TMPFILE & ~O_DIRECTORY;
constexpr std::uint64_t kCreating = O_CREAT | kTmpfileBit;

// Levels and options by the kernel's numbers: the C library's headers for them exclude one another.
constexpr std::uint64_t kLevelIp = 0, kLevelTcp = 6, kLevelUdp = 17, kLevelIpv6 = 41, kLevelNetlink = 270;
constexpr std::uint64_t kTcpMd5Sig = 14, kTcpUlp = 31, kTcpMd5SigExt = 32;
constexpr std::uint64_t kTcpAoAddKey = 38, kTcpAoDelKey = 39, kTcpAoInfo = 40;
constexpr std::uint64_t kIptReplace = 64, kIptAddCounters = 65;

constexpr std::string_view kLeavesSetid = "a set-id file in a host directory is a trap for the host's users";

constexpr std::string_view kHugePages =
    "the machine has a fixed number of them, and no memory limit counts them";

// The spawner makes each sandbox's device nodes.
constexpr auto kAllButSpawner = static_cast<ProfileSet>(kEveryProfile & ~only(SeccompProfile::kSpawner));

// What runs inside. init and the spawner set the limit that is meant.
constexpr auto kPrograms =
    static_cast<ProfileSet>(only(SeccompProfile::kUser) | only(SeccompProfile::kUserNoSetid) |
                            only(SeccompProfile::kRoot) | only(SeccompProfile::kZygote));
// A newborn process of init's is for a moment open to others of init's own id.
constexpr std::uint64_t kIdOfInit = kInitId;
constexpr std::string_view kIsInit = "the id of init is init's alone, also where there is a root";

constexpr std::uint64_t kPointer = ~std::uint64_t{0};
constexpr std::string_view kCoreLimit =
    "where the host pipes core dumps to a program, a limit of 1 alone keeps that from running, and 0 does "
    "not; "
    "programs that want no core dump have none";

constexpr auto kRules = std::to_array<ArgRule>({
    {"clone", kAllow, "no new namespace", {{0, kNewNamespaces, {0}}}},

    {"socket", kAllow, "local sockets", {{0, kLow32, {AF_UNIX}}}},
    {"socket",
     kAllow,
     "TCP and UDP; MPTCP, SCTP, ICMP and raw sockets are each a kernel subsystem of their own",
     {{0, kLow32, {AF_INET, AF_INET6}},
      {1, kSocketType, {SOCK_STREAM, SOCK_DGRAM}},
      {2, kLow32, {0, IPPROTO_TCP, IPPROTO_UDP}}}},
    {"socket",
     kAllow,
     "libc lists addresses and routes through it",
     {{0, kLow32, {AF_NETLINK}}, {2, kLow32, {NETLINK_ROUTE}}}},
    {"socket",
     kNoProtocol,
     "another protocol of a known family",
     {{0, kLow32, {AF_INET, AF_INET6, AF_NETLINK}}}},
    {"socketpair",
     kAllow,
     "the kernel makes both sockets before it asks the family",
     {{0, kLow32, {AF_UNIX}}}},

    {"setsockopt",
     kNoOption,
     "socket filters are kernel programs; zero-copy sends pass pages on by reference",
     {{1, kLow32, {SOL_SOCKET}},
      {2,
       kLow32,
       {SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF, SO_ATTACH_REUSEPORT_EBPF, SO_ZEROCOPY}}}},
    {"setsockopt",
     kNoOption,
     "kernel TLS and signed segments bring the kernel's crypto within reach",
     {{1, kLow32, {kLevelTcp}},
      {2, kLow32, {kTcpUlp, kTcpMd5Sig, kTcpMd5SigExt, kTcpAoAddKey, kTcpAoDelKey, kTcpAoInfo}}}},
    {"setsockopt",
     kNoOption,
     "IPsec, and the old packet filter tables",
     {{1, kLow32, {kLevelIp}}, {2, kLow32, {IP_IPSEC_POLICY, IP_XFRM_POLICY, kIptReplace, kIptAddCounters}}}},
    {"setsockopt",
     kNoOption,
     "the same for IPv6",
     {{1, kLow32, {kLevelIpv6}},
      {2, kLow32, {IPV6_IPSEC_POLICY, IPV6_XFRM_POLICY, kIptReplace, kIptAddCounters}}}},
    {"setsockopt", kNoOption, "IPsec inside UDP", {{1, kLow32, {kLevelUdp}}, {2, kLow32, {UDP_ENCAP}}}},
    {"setsockopt",
     kAllow,
     "every other option of the sockets that can be made",
     {{1, kLow32, {kLevelIp, SOL_SOCKET, kLevelTcp, kLevelUdp, kLevelIpv6, kLevelNetlink}}}},

    {"ioctl",
     kPermission,
     "typing into a terminal, console tricks, line disciplines",
     {{1, kLow32, {TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS}}}},
    {"futex",
     kNoCall,
     "requeueing to priority-inheriting locks has a long record of bugs and no user left in libc",
     {{1, kFutexCommand, {FUTEX_WAIT_REQUEUE_PI, FUTEX_CMP_REQUEUE_PI}}}},
    {"prctl",
     kPermission,
     "rewriting what /proc says of a process; letting others trace it",
     {{0, kLow32, {PR_SET_MM, PR_SET_PTRACER}}}},
    {"personality",
     kAllow,
     "Linux, 32-bit uname, 2.6 uname, both, and asking; no executable data, no fixed addresses",
     {{0, kLow32, {0, 0x8, 0x20000, 0x20008, 0xffff'ffff}}}},

    {"setuid", kPermission, kIsInit, {{0, kLow32, {kIdOfInit}}}, kPrograms},
    {"setreuid", kPermission, kIsInit, {{0, kLow32, {kIdOfInit}}}, kPrograms},
    {"setreuid", kPermission, kIsInit, {{1, kLow32, {kIdOfInit}}}, kPrograms},
    {"setresuid", kPermission, kIsInit, {{0, kLow32, {kIdOfInit}}}, kPrograms},
    {"setresuid", kPermission, kIsInit, {{1, kLow32, {kIdOfInit}}}, kPrograms},
    {"setresuid", kPermission, kIsInit, {{2, kLow32, {kIdOfInit}}}, kPrograms},
    {"setfsuid", kPermission, kIsInit, {{0, kLow32, {kIdOfInit}}}, kPrograms},

    {"setrlimit", kPretend, kCoreLimit, {{0, kLow32, {RLIMIT_CORE}}}, kPrograms},
    {"prlimit64", kAllow, "reading the limit", {{1, kLow32, {RLIMIT_CORE}}, {2, kPointer, {0}}}, kPrograms},
    {"prlimit64", kPretend, kCoreLimit, {{1, kLow32, {RLIMIT_CORE}}}, kPrograms},

    {"mmap", kPermission, kHugePages, {{3, MAP_HUGETLB, {MAP_HUGETLB}}}},
    {"memfd_create", kPermission, kHugePages, {{1, MFD_HUGETLB, {MFD_HUGETLB}}}},
    {"shmget", kPermission, kHugePages, {{2, SHM_HUGETLB, {SHM_HUGETLB}}}},

    {"mknod", kPermission, "devices", {{1, kFileType, {S_IFCHR, S_IFBLK}}}, kAllButSpawner},
    {"mknodat", kPermission, "devices", {{2, kFileType, {S_IFCHR, S_IFBLK}}}, kAllButSpawner},

    {"chmod", kPermission, kLeavesSetid, {{1, kSetId, {S_ISUID, S_ISGID, kSetId}}}, kNoSetid},
    {"fchmod", kPermission, kLeavesSetid, {{1, kSetId, {S_ISUID, S_ISGID, kSetId}}}, kNoSetid},
    {"fchmodat", kPermission, kLeavesSetid, {{2, kSetId, {S_ISUID, S_ISGID, kSetId}}}, kNoSetid},
    {"fchmodat2", kPermission, kLeavesSetid, {{2, kSetId, {S_ISUID, S_ISGID, kSetId}}}, kNoSetid},
    {"creat", kPermission, kLeavesSetid, {{1, kSetId, {S_ISUID, S_ISGID, kSetId}}}, kNoSetid},
    {"mknod", kPermission, kLeavesSetid, {{1, kSetId, {S_ISUID, S_ISGID, kSetId}}}, kNoSetid},
    {"mknodat", kPermission, kLeavesSetid, {{2, kSetId, {S_ISUID, S_ISGID, kSetId}}}, kNoSetid},
    {"open",
     kPermission,
     kLeavesSetid,
     {{1, kCreating, {O_CREAT, kTmpfileBit, kCreating}}, {2, kSetId, {S_ISUID, S_ISGID, kSetId}}},
     kNoSetid},
    {"openat",
     kPermission,
     kLeavesSetid,
     {{2, kCreating, {O_CREAT, kTmpfileBit, kCreating}}, {3, kSetId, {S_ISUID, S_ISGID, kSetId}}},
     kNoSetid},
});

}  // namespace

std::span<const ArgRule> arg_rules() { return kRules; }

}  // namespace jail
