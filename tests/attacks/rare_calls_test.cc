// Group A, the rest: calls and arguments that few programs use and that many kernel bugs have needed.
#include "jail/seccomp_filter.h"
#include "tests/attacks/helpers.h"
#include "tests/attacks/verdicts.h"

namespace attacks {

TEST(Syscalls, NoX32Number) {
  prove({.program = "x32_numbers",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"getpid_passes_the_filters", "getpid_high_bit_passes_the_filters",
                    "unshare_passes_the_filters", "own_ptrace_passes_the_filters"},
         .refused = {"ENOSYS"}});
}

TEST(Syscalls, NoFutexBeyondTheOrdinary) {
  prove({.program = "futex_forms",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"wait_requeue_pi", "wait_requeue_pi_high_bit", "cmp_requeue_pi", "cmp_requeue_pi_private",
                    "cmp_requeue_pi_top_bit", "futex_waitv", "futex_wake", "futex_wait", "futex_requeue"},
         .refused = {"ENOSYS"}});
}

TEST(Syscalls, NoPageIsHandedOnByReference) {
  prove({.program = "zero_copy_pipes",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"splice_file_to_pipe", "splice_read_only_file", "vmsplice", "tee", "tee_bad_descriptors"},
         .refused = {"EINVAL"}});
}

TEST(Syscalls, NoMemoryIsHiddenLockedOrMoved) {
  const std::string program = "memory_placement";
  expect_worked(control_jail({Weakness::kNoSeccomp, Weakness::kNoUserLimits}).run(program),
                {"set_mempolicy", "mbind", "move_pages", "memfd_secret", "mlockall", "mlock_1_mib",
                 "map_locked_1_mib"});
  // Locking is bounded where there is no filter, too.
  expect_refused_as(control_jail({Weakness::kNoSeccomp}).run(program), "mlock_1_mib", "ENOMEM");
  expect_all_refused(sandbox().run(program), {"EPERM", "ENOSYS", "ENOMEM", "EAGAIN"});
}

TEST(Syscalls, NoStrangePersonality) {
  prove({.program = "personality_values",
         .removed = {Weakness::kNoSeccomp},
         .worked = {"value_400000", "value_40000", "value_10000040000", "value_100000", "data_becomes_code"},
         .refused = {"EPERM"}});
}

TEST(Syscalls, NoWatchOverMountsAndNoFloodOfWatchers) {
  const std::string program = "file_watching";
  expect_worked(control_jail({Weakness::kNoSeccomp, Weakness::kNoUserLimits}).run(program),
                {"fanotify_init", "fanotify_mark", "inotify_flood"});
  const auto report = sandbox().run(program);
  expect_all_refused(report, {"EPERM", "EMFILE"});
  expect_refused_as(report, "inotify_flood", "EMFILE");
}

TEST(Syscalls, AStormOfRefusalsCostsOnlyTheAttacker) {
  const std::string program = "errno_storm";
  constexpr std::uint64_t kSmallPart = 20;
  const auto number = [](const Report& report, const char* key) {
    return std::stoull("0" + report.value(key));
  };
  // Where a supervisor decides on calls, the storm costs it about as much as the attacker.
  const auto asked = control_jail({Weakness::kNoSeccomp}).run(program, {.arguments = {"--ask"}});
  expect_told(asked);
  EXPECT_GT(number(asked, "supervisor.cpu_us") * kSmallPart, number(asked, "storm.cpu_us"));

  auto usual = sandbox();
  SpawnerProcess& spawner = Lab::current().product();
  const pid_t init = init_of(spawner, usual.id());
  ASSERT_TRUE(usual.put_program(program));
  const std::uint64_t spawner_before = cpu_used(spawner.pid());
  const std::uint64_t init_before = cpu_used(init);
  const auto report = usual.run(program);
  expect_told(report);
  const std::uint64_t storm = number(report, "storm.cpu_us");
  EXPECT_LT((cpu_used(spawner.pid()) - spawner_before) * kSmallPart, storm);
  EXPECT_LT((cpu_used(init) - init_before) * kSmallPart, storm);
}

// The third profile, of writable workspaces, is asked for by tests/cli/workspace_option.py.
TEST(Syscalls, ReceiptsNameTheFilter) {
  const auto hash_of = [](jail::SeccompProfile profile) {
    return jail::filter_hash(jail::build_filter(profile).value());
  };
  EXPECT_EQ(sandbox().seccomp(), hash_of(jail::SeccompProfile::kUser));
  EXPECT_EQ(sandbox(Mode::kRoot).seccomp(), hash_of(jail::SeccompProfile::kRoot));
}

}  // namespace attacks
