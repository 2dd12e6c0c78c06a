// Group B, the rest: what a sandbox leaves behind, what it is called, and what its root may do.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tests/attacks/helpers.h"
#include "tests/attacks/verdicts.h"

namespace attacks {

namespace {

using wire::spawner::RootKind;

constexpr uid_t kNobody = 65534;
constexpr const char* kPlanter = "setid_from_outside";

// A tree that is just enough to run the planter in, where the spawner looks for builds.
std::string make_build(const SpawnerProcess& spawner) {
  std::string name = "planted-" + base::random_hex(4);
  const std::string root = spawner.paths().builds + "/" + name + "/root";
  EXPECT_TRUE(sys::mkdirat(AT_FDCWD, spawner.paths().builds + "/" + name, 0755));
  EXPECT_TRUE(sys::mkdirat(AT_FDCWD, root, 0755));
  for (const char* directory : {"bin", "dev", "etc", "proc", "sys", "tmp", "workspace"}) {
    EXPECT_TRUE(sys::mkdirat(AT_FDCWD, root + "/" + directory, 0755));
  }
  const auto program = sys::read_file(built_program(kPlanter), 3 << 20);
  EXPECT_TRUE(program);
  EXPECT_TRUE(sys::create_file_at(AT_FDCWD, root + "/bin/planter", program.value_or(""), 0755));
  return name;
}

// Root of a build leaves a set-id file in its tree, which lies on the host's disk and there belongs to root.
std::string plant_in_build(SpawnerProcess& spawner) {
  const std::string name = make_build(spawner);
  Subject build(spawner, {.root = name, .root_kind = RootKind::kBuild, .mode = Mode::kRoot});
  EXPECT_EQ(build.refusal(), "");
  const auto planted =
      build.run_command({"/bin/planter", "--plant", "/tmp/planted"}, {.cwd = "/", .user = User::kRoot});
  EXPECT_EQ(planted.outcome.exit_code, 0) << planted.text();
  return spawner.paths().builds + "/" + name + "/root/tmp/planted";
}

Report plant(Subject& subject, const std::string& path) {
  return subject.run(kPlanter, {.arguments = {"--plant", path}, .user = User::kRoot});
}

// Opens the control spawner's directories for everybody while it lives.
class OpenedDirectories {
 public:
  explicit OpenedDirectories(const base::Paths& paths) : paths_{paths.state, paths.builds} {
    change_mode(0755);
  }
  OpenedDirectories(const OpenedDirectories&) = delete;
  OpenedDirectories& operator=(const OpenedDirectories&) = delete;
  ~OpenedDirectories() { change_mode(0700); }

 private:
  void change_mode(mode_t mode) const {
    for (const std::string& path : paths_) EXPECT_EQ(::chmod(path.c_str(), mode), 0) << path;
  }
  std::vector<std::string> paths_;
};

// Changes the NIS domain of the scratch world while it lives.
class HostDomain {
 public:
  explicit HostDomain(const std::string& name) {
    EXPECT_EQ(::getdomainname(before_, sizeof before_), 0);
    EXPECT_EQ(::setdomainname(name.data(), name.size()), 0);
  }
  HostDomain(const HostDomain&) = delete;
  HostDomain& operator=(const HostDomain&) = delete;
  ~HostDomain() { EXPECT_EQ(::setdomainname(before_, std::string(before_).size()), 0); }

 private:
  char before_[65] = {};
};

std::string host_boot_id() {
  const std::string text = sys::read_file("/proc/sys/kernel/random/boot_id").value_or("");
  return text.substr(0, text.find('\n'));
}

std::string host_name() {
  char name[256] = {};
  EXPECT_EQ(::gethostname(name, sizeof name - 1), 0);
  return name;
}

}  // namespace

TEST(Identity, SetidFilesOfASandboxAreOutOfReach) {
  const Refusals words = {"EACCES", "ENOENT", "none"};
  // Where a sandbox writes to the host's own tree under the host's own ids, anybody on the host gains root's.
  const std::string outside = Lab::current().scratch() + "/planted";
  auto weak = control_jail({Weakness::kOldRootStays, Weakness::kWholeIdRange}, Mode::kRoot);
  EXPECT_EQ(plant(weak, "/oldroot" + outside).outcome.exit_code, 0);
  expect_worked(run_outside(kNobody, kPlanter, {outside}), {"open_1", "run_1"});
  EXPECT_TRUE(sys::unlinkat(AT_FDCWD, outside));

  SpawnerProcess& product = Lab::current().product();
  auto root_mode = sandbox(Mode::kRoot);
  EXPECT_EQ(plant(root_mode, "/tmp/planted").outcome.exit_code, 0);
  const std::string layer = "/proc/" + std::to_string(init_of(product, root_mode.id())) + "/root/tmp/planted";
  expect_all_refused(run_outside(kNobody, kPlanter, {layer, product.paths().stage + "/root/tmp/planted"}),
                     words);
  // Root of the host, who sees it, sees the sandbox's id on a mount that ignores the bit.
  const auto status = sys::fstatat(AT_FDCWD, layer);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->st_mode & 07777, 06755U);
  EXPECT_GE(status->st_uid, 1U << 20);
  EXPECT_GE(status->st_gid, 1U << 20);
  struct statvfs mount{};
  ASSERT_EQ(::statvfs(layer.c_str(), &mount), 0);
  EXPECT_NE(mount.f_flag & ST_NOSUID, 0U);
}

TEST(Identity, SetidFilesOfABuildAreOutOfReach) {
  SpawnerProcess& control = Lab::current().control();
  const std::string reachable = plant_in_build(control);
  {
    const OpenedDirectories opened(control.paths());
    expect_worked(run_outside(kNobody, kPlanter, {reachable}), {"open_1", "run_1"});
  }
  const std::string planted = plant_in_build(Lab::current().product());
  const auto status = sys::fstatat(AT_FDCWD, planted);
  ASSERT_TRUE(status) << planted;
  EXPECT_EQ(status->st_mode & 07777, 06755U);
  expect_all_refused(run_outside(kNobody, kPlanter, {planted}), {"EACCES", "none"});
}

TEST(Identity, IpcObjectsOfOthersAreNotThere) {
  const std::string program = "ipc_objects";
  const std::string key = "0x" + base::random_hex(3);
  const std::string name = "/cove-" + base::random_hex(8);
  EXPECT_EQ(run_outside(kNobody, program, {"make", key, name}).outcome.exit_code, 0);
  const Start look{.arguments = {"look", key, name}};
  expect_worked(control_jail({Weakness::kSharedIpc}).run(program, look), {"shm", "sem", "msg", "mq"});
  expect_worked(control_jail({Weakness::kNoUserLimits}).run(program, look), {"queue_of_80_kib"});

  const Refusals words = {"ENOENT", "EMFILE", "none"};
  auto usual = sandbox();
  expect_all_refused(usual.run(program, look), words);
  expect_refused_as(usual.run(program, look), "queue_of_80_kib", "EMFILE");
  EXPECT_EQ(run_outside(kNobody, program, {"remove", key, name}).outcome.exit_code, 0);

  // Made by a sandbox, looked for by its sibling and by the world outside.
  auto sibling = sandbox();
  EXPECT_EQ(sibling.run(program, {.arguments = {"make", key, name}}).outcome.exit_code, 0);
  expect_all_refused(usual.run(program, look), words);
  for (const char* probe : {"shm", "sem", "msg", "mq", "posix_shm"}) {
    expect_refused_as(run_outside(kNobody, program, {"look", key, name}), probe, "ENOENT");
  }
}

TEST(Identity, IpcMemoryCountsAsTheSandboxs) {
  constexpr std::uint64_t kLimit = 64 << 20;
  const Start fill{.arguments = {"fill", std::to_string(4 * kLimit)}};
  expect_told(sandbox().run("ipc_objects", fill));
  Subject small(Lab::current().product(), {.memory_bytes = kLimit, .disk_bytes = 16 << 20});
  EXPECT_EQ(small.run("ipc_objects", fill).outcome.cause, base::Cause::kOutOfMemory);
}

TEST(Identity, NamesAreTheSandboxsOwn) {
  const std::string program = "host_names";
  const HostDomain domain("cove-attacks.invalid");
  const auto shared = control_jail({Weakness::kSharedUts}).run(program);
  EXPECT_EQ(shared.value("hostname"), host_name());
  EXPECT_EQ(shared.value("domainname"), "cove-attacks.invalid");
  EXPECT_EQ(control_jail({Weakness::kUnmaskedProc}).run(program).value("boot_id"), host_boot_id());
  EXPECT_EQ(control_jail({Weakness::kLinksFollowed}).run(program).value("machine_id"),
            control_jail({Weakness::kLinksFollowed}).run(program).value("machine_id"));
  expect_worked(control_jail({Weakness::kNoSeccomp, Weakness::kFullCapabilities}).run(program),
                {"sethostname", "setdomainname"});

  const auto one = sandbox().run(program);
  const auto other = sandbox().run(program);
  for (const auto* report : {&one, &other}) {
    expect_all_refused(*report, {"EPERM"});
    EXPECT_EQ(report->value("hostname"), report->value("hostname_file"));
    EXPECT_NE(report->value("hostname"), host_name());
    EXPECT_NE(report->value("boot_id"), host_boot_id());
    EXPECT_EQ(report->value("domainname"), "(none)") << "not the host's";
  }
  for (const char* key : {"hostname", "machine_id", "boot_id"}) {
    EXPECT_NE(one.value(key), "none") << key;
    EXPECT_NE(one.value(key), other.value(key)) << key;
  }
  auto root_mode = sandbox(Mode::kRoot);
  expect_all_refused(root_mode.run(program, {.user = User::kRoot}), {"EPERM"});
}

TEST(Identity, RootInsideIsNoRoot) {
  const std::string program = "root_mode_calls";
  const Start as_root{.user = User::kRoot};
  expect_worked(
      control_jail({Weakness::kNoSeccomp, Weakness::kFullCapabilities, Weakness::kOwnNetwork}, Mode::kRoot)
          .run(program, as_root),
      {"mknod_whiteout", "mount", "file_capability", "link", "raw_socket", "chroot"});
  // The filter alone, without the capabilities' limit, and the other way round.
  expect_refused_as(control_jail({Weakness::kNoSeccomp}, Mode::kRoot).run(program, as_root), "mount",
                    "EPERM");
  expect_refused_as(control_jail({Weakness::kFullCapabilities}, Mode::kRoot).run(program, as_root), "mount",
                    "EPERM");
  auto root_mode = sandbox(Mode::kRoot);
  const auto report = root_mode.run(program, as_root);
  EXPECT_EQ(report.value("uid"), "0");
  expect_all_refused(report, {"EPERM", "EINVAL", "EPROTONOSUPPORT"});
  expect_refused_as(report, "chown_to_unmapped", "EINVAL");
}

TEST(Identity, ControlSocketsAreUnreachable) {
  const std::string program = "control_sockets";
  const auto sockets_of = [](const SpawnerProcess& spawner, const Subject& subject) {
    return std::vector<std::string>{spawner.paths().sandboxes + "/" + subject.id() + ".sock",
                                    spawner.paths().spawner_socket};
  };
  // Root's own directory keeps other ids out even where it is in sight.
  auto in_sight = control_jail({Weakness::kOldRootStays});
  const auto seen = in_sight.run(program, {.arguments = sockets_of(Lab::current().control(), in_sight)});
  expect_refused_as(seen, "oldroot_1", "EACCES");
  auto weak = control_jail({Weakness::kOldRootStays, Weakness::kWholeIdRange}, Mode::kRoot);
  expect_worked(
      weak.run(program, {.arguments = sockets_of(Lab::current().control(), weak), .user = User::kRoot}),
      {"oldroot_1", "oldroot_2", "sockets_in_files"});

  const Refusals words = {"ENOENT", "EACCES", "ECONNREFUSED", "none"};
  auto usual = sandbox();
  const auto paths = sockets_of(Lab::current().product(), usual);
  ASSERT_TRUE(sys::fstatat(AT_FDCWD, paths[0])) << "the control socket lies outside";
  expect_all_refused(usual.run(program, {.arguments = paths}), words);
  auto root_mode = sandbox(Mode::kRoot);
  expect_all_refused(root_mode.run(program, {.arguments = sockets_of(Lab::current().product(), root_mode),
                                             .user = User::kRoot}),
                     words);
}

}  // namespace attacks
