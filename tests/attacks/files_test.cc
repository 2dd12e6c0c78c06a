// Group C: what a process in a sandbox finds in its file system, and what it finds out there.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "sys/file.h"
#include "tests/attacks/golden.h"
#include "tests/attacks/helpers.h"
#include "tests/attacks/verdicts.h"
#include "tests/attacks/world.h"

namespace attacks {

namespace {

using testing::ElementsAreArray;
using testing::Not;
using testing::UnorderedElementsAreArray;

// In two halves, so that the hunter's own command line is no find.
std::vector<std::string> halves(const std::string& canary) {
  return {canary.substr(0, 16), canary.substr(16)};
}

std::vector<std::string> hunt_below(const std::string& canary, const std::vector<std::string>& starts) {
  auto arguments = halves(canary);
  arguments.insert(arguments.end(), starts.begin(), starts.end());
  return arguments;
}

// Leaves the text in files of every writable file system, and in a process that goes on living.
void plant_inside(Subject& subject, const std::string& canary) {
  const std::string script = "for d in /tmp /home/user /dev/shm; do echo " + canary + " > $d/" + canary +
                             "; done; head -c 20000000 /dev/zero | tr '\\0' x > /tmp/big; "
                             "yes " +
                             canary + " | head -c 20000000 > /tmp/many; (exec -a " + canary +
                             " sleep 300 > /dev/null 2>&1 &)";
  const auto planted = subject.run_command({"/bin/bash", "-c", script});
  EXPECT_EQ(planted.error, "");
  EXPECT_EQ(planted.outcome.exit_code, 0) << planted.standard_error;
}

// The mounts that every sandbox has, and the masks for what this kernel has in /proc.
Lines expected_mounts(const Lines& seen) {
  Lines all = golden("mount_table.txt", seen);
  std::ranges::copy(kept_list("proc_masks_elsewhere.txt"), std::back_inserter(all));
  std::erase_if(all, [](const std::string& line) {
    const std::string path = line.substr(0, line.find(' '));
    return path.starts_with("/proc/") && !sys::fstatat(AT_FDCWD, path);
  });
  return all;
}

// Sysctls of the whole machine, as the scratch world sees them.
std::map<std::string, std::string> machine_settings() {
  std::map<std::string, std::string> settings;
  for (const char* name :
       {"kernel/core_pattern", "kernel/modprobe", "kernel/hostname", "kernel/sysrq", "kernel/panic",
        "kernel/randomize_va_space", "vm/overcommit_memory", "vm/swappiness", "fs/suid_dumpable",
        "fs/file-max", "net/ipv4/ip_forward", "user/max_user_namespaces"}) {
    settings[name] = sys::read_file(std::string("/proc/sys/") + name).value_or("(unreadable)");
  }
  return settings;
}

}  // namespace

TEST(Files, HostCanaryIsNotFound) {
  const std::string& canary = Lab::current().canary();
  const std::string& scratch = Lab::current().scratch();
  // On the host: in a file, in a name, in a process's command line, and in the environment of every process
  // of the lab.
  ASSERT_TRUE(sys::mkdirat(AT_FDCWD, scratch + "/hoard", 0755));
  ASSERT_TRUE(
      sys::create_file_at(AT_FDCWD, scratch + "/hoard/secret", "the canary is " + canary + "\n", 0644));
  ASSERT_TRUE(sys::create_file_at(AT_FDCWD, scratch + kProductState + "/" + canary, "", 0644));
  const Bystander bystander(0, canary);
  const std::string process = "/oldroot/proc/" + std::to_string(bystander.pid());

  auto weak = control_jail({Weakness::kOldRootStays});
  expect_worked(weak.run("canary_hunt", {.arguments = hunt_below(canary, {"/oldroot" + scratch + "/hoard"})}),
                {"canary"});
  expect_worked(weak.run("canary_hunt", {.arguments = hunt_below(canary, {process})}), {"canary"});

  expect_all_refused(sandbox().run("canary_hunt", {.arguments = halves(canary)}), {"not_found"});
  auto root_mode = sandbox(Mode::kRoot);
  expect_all_refused(root_mode.run("canary_hunt", {.arguments = halves(canary), .user = User::kRoot}),
                     {"not_found"});
}

TEST(Files, SiblingCanaryIsNotFound) {
  const std::string canary = base::random_hex(16);
  {
    auto weak_sibling = control_jail({Weakness::kSharedPid, Weakness::kUnmaskedProc});
    plant_inside(weak_sibling, canary);
    auto weak = control_jail({Weakness::kSharedPid, Weakness::kUnmaskedProc});
    expect_worked(weak.run("canary_hunt", {.arguments = hunt_below(canary, {"/proc"})}), {"canary"});
  }
  {
    auto sibling = sandbox();
    plant_inside(sibling, canary);
    expect_worked(sibling.run("canary_hunt", {.arguments = hunt_below(canary, {"/tmp"})}), {"canary"});
    expect_all_refused(sandbox().run("canary_hunt", {.arguments = halves(canary)}), {"not_found"});
  }
  // The sibling is gone: nothing of it is in what was handed out again.
  expect_all_refused(sandbox().run("canary_hunt", {.arguments = halves(canary)}), {"not_found"});
}

TEST(Files, MountTableIsGolden) {
  auto usual = sandbox();
  const auto seen = usual.run("mount_table").values("mount");
  const auto expected = expected_mounts(seen);
  EXPECT_THAT(seen, UnorderedElementsAreArray(expected));
  for (const std::string& line : seen) {
    EXPECT_THAT(line, testing::HasSubstr("nosuid")) << "everywhere";
    EXPECT_THAT(line, Not(testing::HasSubstr("shared:")));
    EXPECT_THAT(line, Not(testing::HasSubstr("master:")));
  }
  // Nor do the options that the kernel lists beside them tell where anything lies on the host.
  const auto told = usual.run_command({"/bin/grep", "-F", "-e", Lab::current().scratch(), "-e", "/run/cove",
                                       "/proc/self/mountinfo", "/proc/self/mounts", "/proc/self/mountstats"});
  EXPECT_EQ(told.outcome.exit_code, 1) << "grep finds nothing";
  EXPECT_THAT(sandbox(Mode::kRoot).run("mount_table").values("mount"), UnorderedElementsAreArray(expected));
  for (const Weakness weakness : {Weakness::kRealSys, Weakness::kUnmaskedProc, Weakness::kMoreDevices}) {
    EXPECT_THAT(control_jail({weakness}).run("mount_table").values("mount"),
                Not(UnorderedElementsAreArray(expected)));
  }
}

TEST(Files, NothingInProcIsWritable) {
  const std::string program = "proc_open_for_writing";
  const auto before = machine_settings();
  expect_worked(control_jail({Weakness::kUnmaskedProc, Weakness::kFullCapabilities}).run(program),
                {"/proc/sys/user/max_user_namespaces", "write"});
  const Refusals words = {"EROFS", "EACCES", "ENOENT", "EPERM"};
  expect_all_refused(sandbox().run(program), words);
  expect_all_refused(sandbox(Mode::kRoot).run(program, {.user = User::kRoot}), words);
  EXPECT_EQ(machine_settings(), before);
}

TEST(Files, ProcTellsNothingOfTheHost) {
  const std::string program = "proc_secrets";
  expect_worked(control_jail({Weakness::kUnmaskedProc}).run(program),
                {"/proc/cmdline", "/proc/interrupts", "/proc/kallsyms", "/proc/vmstat", "/proc/tty"});
  const Refusals words = {"ENODATA", "ENOENT", "EACCES", "EPERM"};
  expect_all_refused(sandbox().run(program), words);
  expect_all_refused(sandbox(Mode::kRoot).run(program, {.user = User::kRoot}), words);
}

TEST(Files, ProcShowsNoFigureOfTheHost) {
  const std::string meminfo = sys::read_file("/proc/meminfo").value();
  const std::string total = std::to_string(std::stoll(meminfo.substr(meminfo.find("MemTotal:") + 9)));
  const std::string program = "proc_figures";
  expect_worked(control_jail({Weakness::kUnmaskedProc}).run(program, {.arguments = {total}}),
                {"memory", "threads", "interrupts", "switches", "forks"});
  const auto seen = sandbox().run(program, {.arguments = {total}});
  EXPECT_EQ(seen.outcome.exit_code, 1) << seen.standard_error;
}

TEST(Files, SysIsGolden) {
  const auto report = sandbox().run("list_sys");
  const auto seen = report.values("sys");
  EXPECT_EQ(report.value("sys.magic"), "1021994") << "a tmpfs";
  const auto expected = golden("sys.txt", seen);
  EXPECT_THAT(seen, ElementsAreArray(expected));
  const auto real = control_jail({Weakness::kRealSys}).run("list_sys");
  EXPECT_EQ(real.value("sys.magic"), "62656572") << "a sysfs";
  EXPECT_THAT(real.values("sys"), Not(ElementsAreArray(expected)));
}

TEST(Files, DevIsGolden) {
  const auto seen = sandbox().run("list_dev").values("dev");
  const auto expected = golden("dev.txt", seen);
  EXPECT_THAT(seen, ElementsAreArray(expected));
  const auto more = control_jail({Weakness::kMoreDevices}).run("list_dev").values("dev");
  EXPECT_THAT(more, Not(ElementsAreArray(expected)));
  EXPECT_THAT(more, testing::Contains(testing::StartsWith("/dev/kmsg char 1:11")));
}

}  // namespace attacks
