// Group C: the layers that a sandbox's root is made of, and what its mounts forbid.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "tests/attacks/helpers.h"
#include "tests/attacks/own_template.h"
#include "tests/attacks/verdicts.h"

namespace attacks {

namespace {

using wire::spawner::RootKind;

const std::string kPlanted = "/opt/zero";

// A node that an image brought along. Import refuses such a tree; this one was laid down beside the door.
OwnTemplate template_with_a_device(SpawnerProcess& spawner) {
  const OwnTemplate made(spawner, "c08");
  made.add_directory("/opt");
  made.add_zero_device(kPlanted);
  return made;
}

OwnTemplate template_for_games(SpawnerProcess& spawner) {
  const OwnTemplate made(spawner, "c13");
  for (const char* path : {"/games", "/games/lower", "/games/lower/sub"}) made.add_directory(path);
  for (const char* path : {"/games/lower/file", "/games/lower/mapped", "/games/lower/sub/deep"}) {
    made.add_file(path, std::string(8192, 'l'));
  }
  return made;
}

// Where every kind of cgroup hierarchy keeps the program that the kernel runs when a group empties.
std::string release_agents() {
  std::string all;
  for (const char* hierarchy :
       {"cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "pids", "systemd"}) {
    const std::string path = std::string("/sys/fs/cgroup/") + hierarchy + "/release_agent";
    all += path + "=" + sys::read_file(path).value_or("(none)\n");
  }
  return all;
}

// What the scratch world is called, for as long as it lives: the machine's own name may be short enough to
// occur in any other by chance.
class HostName {
 public:
  HostName() {
    EXPECT_EQ(::gethostname(before_.data(), before_.size() - 1), 0);
    EXPECT_EQ(::sethostname(planted_.data(), planted_.size()), 0);
  }
  HostName(const HostName&) = delete;
  HostName& operator=(const HostName&) = delete;
  ~HostName() { EXPECT_EQ(::sethostname(before_.data(), std::strlen(before_.data())), 0); }
  const std::string& text() const { return planted_; }

 private:
  std::array<char, 256> before_{};
  std::string planted_ = "host" + base::random_hex(16);
};

}  // namespace

TEST(Files, NoDeviceNodeIsMadeOrOpened) {
  const std::string program = "device_nodes";
  expect_worked(control_jail({Weakness::kNoSeccomp}).run(program), {"whiteout/dev/shm"});
  const auto careless = template_with_a_device(Lab::current().control());
  Subject weak(Lab::current().control(),
               {.root = careless.digest(), .weaken = bits({Weakness::kLooseMounts})});
  expect_worked(weak.run(program, {.arguments = {kPlanted}}), {"planted"});

  const Refusals words = {"EPERM", "EACCES", "EXDEV"};
  const auto planted = template_with_a_device(Lab::current().product());
  for (const Mode mode : {Mode::kUser, Mode::kRoot}) {
    Subject subject(Lab::current().product(), {.root = planted.digest(), .mode = mode});
    const auto user = mode == Mode::kUser ? User::kUser : User::kRoot;
    const auto report = subject.run(program, {.arguments = {kPlanted}, .user = user});
    expect_all_refused(report, words);
    expect_refused_as(report, "planted", "EACCES");
    expect_refused_as(report, "null/tmp", "EPERM");
  }
}

TEST(Files, MasksCannotBeUndone) {
  const std::string program = "undo_masks";
  expect_worked(control_jail({Weakness::kNoSeccomp, Weakness::kFullCapabilities}).run(program),
                {"unmask", "unmount_proc_sys", "bind_over_proc", "bind_over_mask"});
  // A second procfs is refused where the first is masked, so that one needs a bare /proc.
  expect_worked(
      control_jail({Weakness::kNoSeccomp, Weakness::kFullCapabilities, Weakness::kUnmaskedProc}).run(program),
      {"second_proc"});
  const Refusals words = {"EPERM", "EBUSY", "EROFS", "EACCES", "ENOENT"};
  expect_all_refused(sandbox().run(program), words);
  expect_all_refused(sandbox(Mode::kRoot).run(program, {.user = User::kRoot}), words);
}

TEST(Files, NoControlGroupsInside) {
  const std::string program = "control_groups";
  const std::string before = release_agents();
  expect_worked(
      control_jail({Weakness::kOldRootStays}).run(program, {.arguments = {"/oldroot/sys/fs/cgroup"}}),
      {"file"});
  const Refusals words = {"not_found", "EPERM"};
  expect_all_refused(sandbox().run(program), words);
  expect_all_refused(sandbox(Mode::kRoot).run(program, {.user = User::kRoot}), words);
  EXPECT_EQ(release_agents(), before);
}

TEST(Files, LayersKeepTheTemplateUntouched) {
  const std::string program = "overlay_games";
  const Start start{.arguments = {"/games"}};
  {
    // Without an overlay the tree itself is the root, and every lawful write changes it.
    const auto bare = template_for_games(Lab::current().control());
    const std::string before = bare.fingerprint();
    Subject build(Lab::current().control(),
                  {.root = bare.digest(), .root_kind = RootKind::kBuild, .mode = Mode::kRoot});
    expect_worked(build.run(program, start), {"rename_directory_of_template"});
    EXPECT_NE(bare.fingerprint(), before);
  }
  const auto layered = template_for_games(Lab::current().product());
  const std::string before = layered.fingerprint();
  for (const Mode mode : {Mode::kUser, Mode::kRoot}) {
    Subject subject(Lab::current().product(), {.root = layered.digest(), .mode = mode});
    const auto report = subject.run(
        program, {.arguments = {"/games"}, .user = mode == Mode::kUser ? User::kUser : User::kRoot});
    expect_all_refused(report, {"EPERM", "EXDEV", "EACCES", "ignored"});
    expect_refused_as(report, "rename_directory_of_template", "EXDEV");
    EXPECT_EQ(layered.fingerprint(), before);
  }
}

// Lab::TearDown() checks the template that all attacks ran on; here it is shown that the check can fail.
TEST(Files, AChangedTemplateIsNoticed) {
  const auto own = template_for_games(Lab::current().product());
  const std::string before = own.fingerprint();
  const std::string root = Lab::current().product().paths().templates + "/" + own.digest() + "/root";
  EXPECT_EQ(own.fingerprint(), before);
  EXPECT_EQ(differing_files(root), std::vector<std::string>());
  const auto file = sys::open(root + "/games/lower/file", O_WRONLY);
  ASSERT_TRUE(file);
  ASSERT_TRUE(sys::write_all(file->get(), "X"));
  EXPECT_NE(own.fingerprint(), before);
  EXPECT_THAT(differing_files(root + "/no/such/tree"), testing::SizeIs(1))
      << "what cannot be read is no pass";
}

TEST(Files, NothingRunsFromNoexecMounts) {
  const std::string program = "noexec_places";
  const auto weak = control_jail({Weakness::kLooseMounts}).run(program);
  expect_worked(weak, {"exec_dev_shm", "map_dev_shm"});
  const auto report = sandbox().run(program);
  expect_all_refused(report, {"EACCES", "EPERM", "ENOSPC"});
  expect_refused_as(report, "overfill", "ENOSPC");
  expect_all_refused(sandbox(Mode::kRoot).run(program, {.user = User::kRoot}), {"EACCES", "EPERM", "ENOSPC"});
}

TEST(Files, NothingTellsOfTheMachine) {
  const std::string program = "info_leaks";
  const std::string& canary = Lab::current().canary();
  const HostName host;
  const Names arguments = {canary.substr(0, 16), canary.substr(16), host.text(), Lab::current().scratch(),
                           "/run/cove"};
  expect_worked(control_jail({Weakness::kUnmaskedProc}).run(program, {.arguments = arguments}),
                {"/proc/cmdline"});
  expect_worked(control_jail({Weakness::kSharedUts}).run(program, {.arguments = arguments}), {"nodename"});
  expect_worked(control_jail({Weakness::kOldRootStays}).run(program, {.arguments = arguments}),
                {"/proc/self/mountinfo", "/proc/self/mounts"});
  const Refusals words = {"not_found", "EPERM", "ENOENT", "EACCES", "ENOTDIR"};
  const auto report = sandbox().run(program, {.arguments = arguments});
  expect_all_refused(report, words);
  EXPECT_THAT(report.values("environment"),
              testing::IsSubsetOf({"HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR",
                                   "USER", "JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "GOMEMLIMIT"}));
  expect_all_refused(sandbox(Mode::kRoot).run(program, {.arguments = arguments, .user = User::kRoot}), words);
}

}  // namespace attacks
