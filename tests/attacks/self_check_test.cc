// What a user's own look around says: examples/self_check.py finds nothing to complain of in a sandbox, and a
// great deal in a jail without walls.
#include <gmock/gmock.h>

#include "tests/attacks/helpers.h"
#include "tests/attacks/verdicts.h"

namespace attacks {

namespace {

constexpr const char* kScript = "/tmp/self_check.py";

// The namespaces around it are the scratch world's: the script is told which they are.
Report look_around(Subject subject, User user) {
  const auto put = subject.put_file(SELF_CHECK, kScript);
  EXPECT_TRUE(put) << put.error().message;
  Start start{.user = user};
  for (const char* kind : {"cgroup", "ipc", "mnt", "net", "pid", "user", "uts"}) {
    start.arguments.insert(start.arguments.end(),
                           {"--outside", std::string(kind) + "=" + namespace_of(::getpid(), kind)});
  }
  return subject.run_command({"/usr/bin/python3", kScript}, start);
}

std::string verdicts_of(const Report& report) {
  std::string text = report.text();
  for (const auto& [key, value] : report.facts) text += key + " " + value + "\n";
  return text;
}

void expect_sealed(const Report& report) {
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.outcome.exit_code, 0) << verdicts_of(report);
  EXPECT_THAT(report.values("FAULT"), testing::IsEmpty()) << verdicts_of(report);
  EXPECT_THAT(report.values("fine"), testing::IsSupersetOf({"namespaces",
                                                            "identity",
                                                            "capabilities",
                                                            "new_privileges",
                                                            "seccomp",
                                                            "calls",
                                                            "calls_32_bit",
                                                            "user_namespaces",
                                                            "writable_interfaces",
                                                            "switches",
                                                            "kernel_secrets",
                                                            "kernel_pointers",
                                                            "kernel_log",
                                                            "devices",
                                                            "mount_flags",
                                                            "kernel_file_systems",
                                                            "sockets",
                                                            "named_sockets",
                                                            "stray_devices",
                                                            "setid_programs",
                                                            "processes",
                                                            "pid_1"}));
}

}  // namespace

TEST(SelfCheck, AUsersSandboxIsSealed) {
  const auto report = look_around(sandbox(), User::kUser);
  expect_sealed(report);
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"})
    EXPECT_EQ(report.value(set), "0");
}

TEST(SelfCheck, ARootModeSandboxIsSealed) {
  expect_sealed(look_around(sandbox(Mode::kRoot), User::kUser));
  expect_sealed(look_around(sandbox(Mode::kRoot), User::kRoot));
}

TEST(SelfCheck, AJailWithoutWallsIsNot) {
  const auto report =
      look_around(control_jail({Weakness::kNoSeccomp, Weakness::kFullCapabilities, Weakness::kUnmaskedProc,
                                Weakness::kSharedPid, Weakness::kSharedIpc, Weakness::kSharedUts,
                                Weakness::kSharedNetwork, Weakness::kNoUserLimits, Weakness::kRealSys,
                                Weakness::kMoreDevices, Weakness::kWholeIdRange, Weakness::kSetid}),
                  User::kUser);
  EXPECT_EQ(report.outcome.exit_code, 1) << verdicts_of(report);
  EXPECT_THAT(report.values("FAULT"),
              testing::IsSupersetOf({"namespaces", "identity", "capabilities", "new_privileges", "calls",
                                     "calls_32_bit", "user_namespaces", "devices", "mount_flags",
                                     "kernel_file_systems", "processes", "setid_programs", "kernel_secrets"}))
      << verdicts_of(report);
}

}  // namespace attacks
