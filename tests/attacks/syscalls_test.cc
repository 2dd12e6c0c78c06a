// Group A: which system calls the processes of a sandbox have, and with which arguments.
#include <gmock/gmock.h>

#include <map>
#include <sstream>
#include <tuple>

#include "sys/file.h"
#include "tests/attacks/verdicts.h"

namespace attacks {

namespace {

using Table = std::map<std::string, std::string>;  // "number name" to verdict

// Column `user` or `root` of the golden table that the filter's own unit tests keep.
Table policy_table(const std::string& column) {
  const auto text = sys::read_file(SECCOMP_GOLDEN);
  EXPECT_TRUE(text);
  std::istringstream lines(text.value_or(""));
  Table table;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, name, user, user_no_setid, root;
    if (line.starts_with('#') || !(words >> number >> name >> user >> user_no_setid >> root)) continue;
    table[number] = column == "root" ? root : user;
  }
  return table;
}

// "fact syscall <number> <name> <verdict>"
Table swept_table(const Report& report) {
  expect_told(report);
  Table table;
  for (const std::string& line : report.values("syscall")) {
    std::istringstream words(line);
    std::string number, name, verdict;
    words >> number >> name >> verdict;
    table[number] = verdict;
  }
  return table;
}

// What the kernel refuses by itself is seen where there is no filter.
Table expected_table(const Table& policy, const Table& kernel) {
  Table expected = policy;
  for (auto& [number, verdict] : expected) {
    // What is answered without being done looks the same from inside.
    if (verdict == "allow" || verdict == "pretend") verdict = kernel.at(number);
  }
  // New kernels ask no filter about uretprobe and uprobe.
  expected["335"] = "allow";
  expected["336"] = "allow";
  return expected;
}

}  // namespace

TEST(Syscalls, SweepEqualsTheGoldenTable) {
  const std::string program = "sweep_all_syscalls";
  for (const auto& [mode, user, column] :
       {std::tuple(Mode::kUser, User::kUser, "user"), std::tuple(Mode::kRoot, User::kRoot, "root")}) {
    const auto open_sweep =
        swept_table(control_jail({Weakness::kNoSeccomp}, mode).run(program, {.user = user}));
    const auto sweep = swept_table(sandbox(mode).run(program, {.user = user}));
    const auto policy = policy_table(column);
    ASSERT_EQ(open_sweep.size(), policy.size());
    EXPECT_EQ(open_sweep.at("425"), "allow") << "io_uring_setup is there when no filter is";
    EXPECT_THAT(sweep, testing::ContainerEq(expected_table(policy, open_sweep))) << column;
  }
}

TEST(Syscalls, The32BitAbiIsDead) {
  const auto attack = [](Subject subject) {
    EXPECT_TRUE(subject.put_program("elf32_socketcall"));
    return subject.run("int80_getpid", {.arguments = {path_of("elf32_socketcall")}});
  };
  expect_worked(attack(control_jail({Weakness::kNoSeccomp})),
                {"int80_getpid", "int80_socketcall_unix", "elf32_program"});
  expect_all_refused(attack(sandbox()), {"SIGSYS"});
}

TEST(Syscalls, NoNewNamespaceByAnyCall) {
  const std::string program = "unshare_every_namespace";
  expect_worked(control_jail({Weakness::kNoSeccomp, Weakness::kNoUserLimits}).run(program),
                {"unshare_user", "unshare_user+net", "clone_user", "clone3_user", "setns_user"});
  // The second wall, where the first is missing.
  const auto second_wall = control_jail({Weakness::kNoSeccomp}).run(program);
  expect_refused_as(second_wall, "unshare_user", "ENOSPC");
  expect_refused_as(second_wall, "clone_user", "ENOSPC");
  expect_all_refused(sandbox().run(program), {"EPERM", "ENOSYS"});
}

TEST(Syscalls, NoMountCallIsReached) {
  prove({.program = "mount_calls",
         .removed = {Weakness::kNoSeccomp, Weakness::kFullCapabilities},
         .worked = {"mount_a_tmpfs", "mount", "fsopen", "open_tree", "move_mount", "chroot"},
         .refused = {"EPERM"}});
}

TEST(Syscalls, NoIoUring) {
  prove({.program = "io_uring_calls",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"io_uring_setup", "io_uring_enter", "io_uring_register"},
         .refused = {"EPERM"}});
}

TEST(Syscalls, NoBpfCommand) {
  prove({.program = "bpf_every_command",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"bpf_0", "bpf_5", "bpf_high_bit"},
         .refused = {"EPERM"}});
}

TEST(Syscalls, NoPerfEvents) {
  prove({.program = "perf_event_open",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"bad_pointer"},
         .refused = {"EPERM"}});
}

TEST(Syscalls, NoUserfaultfdInAnyForm) {
  const std::string program = "userfaultfd_forms";
  expect_worked(control_jail({Weakness::kNoSeccomp}).run(program),
                {"user_mode_only", "user_mode_only_high_bit"});
  expect_worked(control_jail({Weakness::kMoreDevices}).run(program), {"device"});
  const auto report = sandbox().run(program);
  expect_all_refused(report, {"EPERM", "ENOENT"});
  expect_refused_as(report, "device", "ENOENT");
}

TEST(Syscalls, NoKernelKeyrings) {
  prove({.program = "kernel_keyrings",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"add_key", "request_key", "keyctl_session_id", "keyctl_unknown_command"},
         .refused = {"EPERM"}});
}

TEST(Syscalls, NoReachIntoAnotherProcess) {
  prove({.program = "touch_another_process",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "ptrace_seize"},
         .refused = {"EPERM"}});
}

TEST(Syscalls, OnlyFourSocketFamilies) {
  prove({.program = "socket_every_family",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"family_40", "family_40_high_bit", "family_17"},  // vsock, packet
         .refused = {"EAFNOSUPPORT"}});
}

TEST(Syscalls, OnlyTcpAndUdp) {
  prove({.program = "socket_every_protocol",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"inet_stream_262", "inet6_stream_262", "inet_mptcp_high_bit", "inet_raw_1"},
         .refused = {"EPROTONOSUPPORT"}});
}

TEST(Syscalls, OnlyRouteNetlinkAndReadOnly) {
  const std::string program = "netlink_every_protocol";
  expect_worked(control_jail({Weakness::kNoSeccomp}).run(program),
                {"protocol_6", "protocol_12", "protocol_12_high_bit"});  // xfrm, netfilter
  expect_worked(
      control_jail({Weakness::kNoSeccomp, Weakness::kFullCapabilities, Weakness::kOwnNetwork}).run(program),
      {"write_link"});
  const auto report = sandbox().run(program);
  expect_all_refused(report, {"EPROTONOSUPPORT", "EPERM"});
  expect_refused_as(report, "write_link", "EPERM");
}

TEST(Syscalls, NoExoticSocketOption) {
  prove({.program = "setsockopt_table",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"tcp_ulp", "attach_a_real_filter", "so_attach_bpf", "udp_encap", "udp_encap_high_bits"},
         .refused = {"ENOPROTOOPT", "EPERM"}});
}

TEST(Syscalls, NothingIsTypedIntoATerminal) {
  prove({.program = "tty_injection",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"tiocsti_on_pty", "tiocsti_on_pty_high_bit", "tiocsti_on_pty_top_bit", "tiocsetd_on_pty"},
         .refused = {"EPERM"}});
}

TEST(Syscalls, NoFileHandles) {
  prove({.program = "file_handles",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"name_to_handle_at_bad_pointer", "open_by_handle_at_bad_mount"},
         .refused = {"EPERM"}});
}

TEST(Syscalls, NoHostWideCall) {
  prove({.program = "host_wide_calls",
         .removed = {Weakness::kNoSeccomp, Weakness::kFullCapabilities},
         .worked = {"swapon", "settimeofday", "clock_settime", "quotactl", "modify_ldt_read", "sethostname",
                    "io_setup"},
         .refused = {"EPERM", "ENOSYS"}});
}

TEST(Syscalls, FilterIsOnEveryPath) {
  const std::string program = "status_lines";
  const auto expect_filtered = [](const Report& report, const std::string& count) {
    expect_told(report);
    for (const char* who : {"main", "thread", "child"}) {
      const std::string prefix = std::string(who) + ".";
      EXPECT_EQ(report.value(prefix + "NoNewPrivs"), "1") << who;
      EXPECT_EQ(report.value(prefix + "Seccomp"), "2") << who;
      EXPECT_EQ(report.value(prefix + "Seccomp_filters"), count) << who;
    }
  };
  auto open = control_jail({Weakness::kSetid, Weakness::kFullCapabilities});
  const auto unbound = open.run(program);
  expect_told(unbound);
  EXPECT_EQ(unbound.value("main.NoNewPrivs"), "0");

  // The spawner's own, the gate, init's, and the process's.
  const std::string all = "4";
  auto usual = sandbox();
  expect_filtered(usual.run(program), all);
  expect_filtered(usual.run(program, {.prefix = {"/bin/sh", "-c", "exec \"$0\""}}), all);
  expect_filtered(usual.run(program, {.prefix = {"/bin/sh", "-c",
                                                 "(setsid \"$0\" > /tmp/said; : > /tmp/ended) & while [ ! -e "
                                                 "/tmp/ended ]; do sleep 0.05; done; cat /tmp/said"}}),
                  all);
  auto root_mode = sandbox(Mode::kRoot);
  expect_filtered(root_mode.run(program), all);
  expect_filtered(root_mode.run(program, {.user = User::kRoot}), all);
}

}  // namespace attacks
