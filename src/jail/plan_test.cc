#include "jail/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>

#include <algorithm>
#include <bit>

#include "jail/tables.h"

namespace jail {
namespace {

using sys::cap;
using testing::Contains;
using testing::ElementsAre;

Spec some_spec(Mode mode = Mode::kUser) {
  return {.id = base::SandboxId::random(),
          .root = "/template",
          .mode = mode,
          .limits = {.memory_bytes = 512 << 20, .max_pids = 256, .cpu_millis = 1500},
          .machine = {.cpus = {2, 3}, .processor = "processor : 0\n", .memory_bytes = 512 << 20},
          .workspace = Access::kReadOnly,
          .first_id = 1 << 24};
}

std::string text_of(const std::vector<StaticFile>& files, const std::string& path) {
  const auto found = std::ranges::find(files, path, &StaticFile::path);
  return found == files.end() ? "(missing)" : found->text;
}

TEST(Plan, UserModeHasNoCapabilityForAnyProcess) {
  const Plan plan = make_plan(some_spec());
  EXPECT_EQ(plan.process.user_capabilities, 0U);
  EXPECT_EQ(plan.process.root_capabilities, 0U);
  EXPECT_EQ(plan.bounding, 0U);
  EXPECT_EQ(plan.init_capabilities, cap(CAP_SETUID) | cap(CAP_SETGID) | cap(CAP_KILL));
}

TEST(Plan, RootModeHasExactlySeven) {
  constexpr sys::CapMask kSeven = cap(CAP_CHOWN) | cap(CAP_DAC_OVERRIDE) | cap(CAP_FOWNER) | cap(CAP_FSETID) |
                                  cap(CAP_KILL) | cap(CAP_SETGID) | cap(CAP_SETUID);
  static_assert(std::popcount(kSeven) == 7);
  const Plan plan = make_plan(some_spec(Mode::kRoot));
  EXPECT_EQ(plan.process.root_capabilities, kSeven);
  EXPECT_EQ(plan.bounding, kSeven);
  EXPECT_EQ(plan.init_capabilities, kSeven);
  EXPECT_EQ(plan.process.user_capabilities, 0U) << "the user has none in root mode either";
}

TEST(Plan, UidZeroMeansNothingByItself) {
  for (const Mode mode : {Mode::kUser, Mode::kRoot}) {
    const unsigned bits = make_plan(some_spec(mode)).securebits;
    EXPECT_EQ(bits & (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED), SECBIT_NOROOT | SECBIT_NOROOT_LOCKED);
    EXPECT_FALSE(bits & (SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_SETUID_FIXUP));
  }
}

TEST(Plan, EveryNamespaceIsNewButTheOnesThatComeOtherwise) {
  // The network is made in the nursery, the cgroup namespace by a step of its own.
  EXPECT_EQ(
      make_plan(some_spec()).namespaces,
      static_cast<std::uint64_t>(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS));
}

TEST(Plan, InsideIdsAreTheBlocksOwnAndNoOther) {
  const Plan plan = make_plan(some_spec());
  EXPECT_EQ(plan.ids.inside, 0U);
  EXPECT_EQ(plan.ids.outside, 1U << 24);
  EXPECT_EQ(plan.ids.count, kBlockSize);
  EXPECT_EQ(plan.first_id, 1U << 24);
  for (const std::uint32_t id : {kRootId, kUserId, kInitId, kTtyGroup}) EXPECT_LT(id, kBlockSize);
}

TEST(Plan, TheRootIsTheSpecsAndItsPlaceIsLimited) {
  const Plan plan = make_plan(some_spec());
  EXPECT_EQ(plan.root, "/template");
  EXPECT_EQ(plan.root_kind, RootKind::kTemplate);
  EXPECT_LE(plan.shm_bytes, 512U << 20);
  EXPECT_EQ(plan.workspace, Access::kReadOnly);
}

TEST(Plan, EveryPlaceThatAMountGoesToIsMadeByUs) {
  EXPECT_THAT(make_plan(some_spec()).mount_points,
              testing::IsSupersetOf({"dev", "proc", "sys", "workspace"}));
}

TEST(Plan, NoTwoSandboxesShareAnIdentity) {
  const Plan one = make_plan(some_spec());
  const Plan other = make_plan(some_spec());
  EXPECT_NE(one.hostname, other.hostname);
  for (const char* path : {"etc/hostname", "etc/hosts", "etc/machine-id"}) {
    EXPECT_NE(text_of(one.identity_files, path), "(missing)");
    EXPECT_NE(text_of(one.identity_files, path), text_of(other.identity_files, path)) << path;
  }
  const char* boot_id = "sys/kernel/random/boot_id";
  EXPECT_NE(text_of(one.replaced_in_proc, boot_id), text_of(other.replaced_in_proc, boot_id));
}

TEST(Plan, IdentityFilesHaveTheirForm) {
  const Spec spec = some_spec();
  const Plan plan = make_plan(spec);
  EXPECT_EQ(plan.hostname, spec.id.text());
  EXPECT_EQ(text_of(plan.identity_files, "etc/hostname"), spec.id.text() + "\n");
  EXPECT_THAT(text_of(plan.identity_files, "etc/hosts"),
              testing::StartsWith("127.0.0.1 localhost " + spec.id.text()));
  EXPECT_THAT(text_of(plan.identity_files, "etc/machine-id"), testing::MatchesRegex("[0-9a-f]{32}\n"));
  EXPECT_THAT(text_of(plan.replaced_in_proc, "sys/kernel/random/boot_id"),
              testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}\n"));
}

TEST(Plan, NothingWritesOutsideOfItsPlace) {
  const Plan plan = make_plan(some_spec());
  for (const auto* files : {&plan.identity_files, &plan.sys_files, &plan.replaced_in_proc}) {
    for (const StaticFile& file : *files) {
      EXPECT_NE(file.path.front(), '/') << file.path;
      EXPECT_EQ(file.path.find(".."), std::string::npos) << file.path;
    }
  }
}

TEST(Plan, RuntimesFindTheirShareOfTheMachine) {
  const Plan plan = make_plan(some_spec());
  EXPECT_EQ(text_of(plan.sys_files, "fs/cgroup/cpu.max"), "150000 100000\n");
  EXPECT_EQ(text_of(plan.sys_files, "fs/cgroup/memory.max"), std::to_string(512 << 20) + "\n");
  EXPECT_EQ(text_of(plan.sys_files, "fs/cgroup/pids.max"), "256\n");
  EXPECT_EQ(text_of(plan.sys_files, "devices/system/cpu/online"), "2-3\n");
  EXPECT_THAT(plan.cpus, ElementsAre(2, 3));
}

TEST(Plan, ProcShowsTheSandboxsMachineInsteadOfTheHosts) {
  const Plan plan = make_plan(some_spec());
  for (const StaticFile& file : machine_proc_files(some_spec().machine)) {
    EXPECT_EQ(text_of(plan.replaced_in_proc, file.path), file.text);
  }
  EXPECT_EQ(plan.replaced_in_proc.size(), 5U);
}

TEST(Plan, ManyCpusDoNotOverflow) {
  Spec spec = some_spec();
  spec.limits.cpu_millis = 1'024'000;
  EXPECT_EQ(text_of(make_plan(spec).sys_files, "fs/cgroup/cpu.max"), "102400000 100000\n");
}

TEST(Plan, ProcessesOfOtherIdsAreInvisible) { EXPECT_EQ(make_plan(some_spec()).hide_processes, "invisible"); }

TEST(Plan, TheTablesAreTakenWhole) {
  const Plan plan = make_plan(some_spec());
  EXPECT_EQ(plan.devices.size(), device_table().size());
  EXPECT_EQ(plan.device_links.size(), device_link_table().size());
  EXPECT_EQ(plan.hidden_in_proc.size(), hidden_proc_table().size());
  EXPECT_EQ(plan.read_only_in_proc.size(), read_only_proc_table().size());
  EXPECT_EQ(plan.user_limits.size(), user_limit_table().size());
  EXPECT_EQ(plan.rlimits.size(), rlimit_table().size());
}

}  // namespace
}  // namespace jail
