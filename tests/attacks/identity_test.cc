// Group B: who a process in a sandbox is, and what it inherits.
#include <unistd.h>

#include <memory>
#include <sstream>

#include "tests/attacks/helpers.h"
#include "tests/attacks/verdicts.h"

namespace attacks {

namespace {

constexpr const char* kCapabilitySets[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};

std::uint64_t capability_set(const Report& report, const std::string& set) {
  return std::stoull("0" + report.value("self." + set), nullptr, 16);
}

struct IdRange {
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
};

IdRange id_range(const Report& report, const std::string& key) {
  std::istringstream words(report.value(key));
  IdRange range;
  words >> range.inside >> range.outside >> range.count;
  return range;
}

}  // namespace

TEST(Identity, NoCapabilityInAnySet) {
  const auto full = control_jail({Weakness::kFullCapabilities}).run("capability_sets");
  expect_told(full);
  EXPECT_NE(capability_set(full, "CapEff"), 0U);

  auto usual = sandbox().run("capability_sets");
  expect_told(usual);
  for (const char* set : kCapabilitySets) EXPECT_EQ(capability_set(usual, set), 0U) << set;

  // Root of a root-mode sandbox: chown, dac_override, fowner, fsetid, kill, setgid, setuid, and its user
  // none.
  constexpr std::uint64_t kGranted = 0xfb;
  auto root_mode = sandbox(Mode::kRoot);
  const auto root = root_mode.run("capability_sets", {.user = User::kRoot});
  expect_told(root);
  for (const char* set : kCapabilitySets) EXPECT_EQ(capability_set(root, set) & ~kGranted, 0U) << set;
  const auto user = root_mode.run("capability_sets");
  expect_told(user);
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
    EXPECT_EQ(capability_set(user, set), 0U) << set;
}

TEST(Identity, IdBlocksAreDisjointAndHigh) {
  constexpr std::uint64_t kFirstHigh = 1U << 20;
  constexpr int kSandboxes = 50;
  const auto low = control_jail({Weakness::kWholeIdRange}).run("id_maps");
  expect_told(low);
  EXPECT_LT(id_range(low, "uid_map").outside, kFirstHigh);

  std::vector<std::unique_ptr<Subject>> alive;
  std::set<std::uint64_t> blocks;
  for (int i = 0; i < kSandboxes; ++i) {
    alive.push_back(std::make_unique<Subject>(Lab::current().product(), engine::SandboxOptions{}));
    const auto report = alive.back()->run("id_maps");
    expect_told(report);
    for (const char* key : {"uid_map", "gid_map"}) {
      EXPECT_EQ(report.values(key).size(), 1U) << key;
      const IdRange range = id_range(report, key);
      EXPECT_EQ(range.inside, 0U);
      EXPECT_EQ(range.count, jail::kBlockSize);
      EXPECT_GE(range.outside, kFirstHigh);
      EXPECT_EQ(range.outside % jail::kBlockSize, 0U) << "blocks lie side by side";
    }
    EXPECT_EQ(report.value("self.Groups"), "") << "no group beyond the user's own";
    blocks.insert(id_range(report, "uid_map").outside);
  }
  EXPECT_EQ(blocks.size(), static_cast<std::size_t>(kSandboxes));
}

TEST(Identity, SetuidFilesGiveNothing) {
  const std::string program = "setuid_programs";
  // Root plants a copy that is root's and has the bit; the user runs it.
  const auto plant = [&](Subject& subject) {
    EXPECT_TRUE(subject.put_program(program));
    const std::string script =
        "cp " + path_of(program) + " /tmp/planted && chown 0:0 /tmp/planted && chmod 6755 /tmp/planted";
    const auto planted = subject.run_command({"/bin/sh", "-c", script}, {.user = User::kRoot});
    EXPECT_EQ(planted.error, "");
    EXPECT_EQ(planted.outcome.exit_code, 0) << planted.standard_error;
  };
  // Without no-new-privileges a filter takes a capability to install; the program itself starts with none.
  auto weak = control_jail({Weakness::kSetid, Weakness::kFullCapabilities}, Mode::kRoot);
  plant(weak);
  expect_worked(weak.run(program, {.arguments = {"/tmp/planted"},
                                   .prefix = {"/usr/bin/setpriv", "--inh-caps=-all", "--ambient-caps=-all"}}),
                {"planted_1"});

  auto root_mode = sandbox(Mode::kRoot);
  plant(root_mode);
  expect_all_refused(root_mode.run(program, {.arguments = {"/tmp/planted"}}), {"unchanged", "EPERM"});
  expect_all_refused(sandbox().run(program), {"unchanged", "EPERM"});
}

TEST(Identity, EveryNamespaceDiffers) {
  const std::string program = "namespace_inodes";
  const std::pair<Weakness, const char*> shared[] = {{Weakness::kSharedPid, "pid"},
                                                     {Weakness::kSharedIpc, "ipc"},
                                                     {Weakness::kSharedUts, "uts"},
                                                     {Weakness::kSharedNetwork, "net"}};
  for (const auto& [weakness, kind] : shared) {
    const auto report = control_jail({weakness}).run(program);
    expect_told(report);
    EXPECT_EQ(report.value(std::string("ns.") + kind), namespace_of(::getpid(), kind));
  }
  auto first = sandbox();
  auto second = sandbox();
  const auto one = first.run(program);
  const auto other = second.run(program);
  expect_told(one);
  const pid_t spawner = Lab::current().product().pid();
  for (const char* kind : {"cgroup", "ipc", "mnt", "net", "pid", "user", "uts"}) {
    const std::string own = one.value(std::string("ns.") + kind);
    EXPECT_NE(own, "") << kind;
    EXPECT_NE(own, other.value(std::string("ns.") + kind)) << kind;
    EXPECT_NE(own, namespace_of(::getpid(), kind)) << kind;
    EXPECT_NE(own, namespace_of(spawner, kind)) << kind;
  }
}

TEST(Identity, NoForeignProcessCanBeSignalled) {
  const std::string program = "kill_everything";
  const Bystander victim(jail::kUserId, "victim");
  auto weak = control_jail({Weakness::kSharedPid, Weakness::kWholeIdRange});
  expect_worked(weak.run(program), {"kill_" + std::to_string(victim.pid())});

  auto usual = sandbox();
  auto sibling = sandbox();
  expect_all_refused(usual.run(program), {"EPERM", "ESRCH"});
  // In earnest.
  const auto earnest = usual.run(program, {.arguments = {std::to_string(SIGKILL)}});
  expect_all_refused(earnest, {"EPERM", "ESRCH"});
  expect_refused_as(earnest, "kill_1", "EPERM");
  EXPECT_TRUE(victim.alive());
  expect_told(usual.run("id_maps"));
  expect_told(sibling.run("id_maps"));
}

TEST(Identity, InitCannotBeTouched) {
  const std::string program = "attack_init";
  expect_worked(control_jail({Weakness::kReadableInit, Weakness::kUnmaskedProc, Weakness::kFullCapabilities,
                              Weakness::kNoSeccomp})
                    .run(program),
                {"signal_0", "ptrace_seize", "process_vm_readv", "pidfd_getfd", "read_maps", "readlink_exe",
                 "list_fd", "list_root", "open_mem_for_writing"});
  auto usual = sandbox();
  expect_all_refused(usual.run(program), {"EPERM", "EACCES", "ENOENT"});
  expect_told(usual.run("id_maps"));
  // Nor by root inside, who could take on init's id but for the filter.
  expect_worked(control_jail({Weakness::kNoSeccomp}, Mode::kRoot).run(program, {.user = User::kRoot}),
                {"take_the_id"});
  auto root_mode = sandbox(Mode::kRoot);
  const auto root = root_mode.run(program, {.user = User::kRoot});
  for (const char* probe : {"ptrace_seize", "process_vm_readv", "pidfd_getfd", "read_maps", "read_mem",
                            "readlink_exe", "list_fd", "take_the_id"}) {
    ASSERT_NE(root.probe(probe), nullptr) << root.text();
    EXPECT_FALSE(root.probe(probe)->worked) << root.text();
  }
  expect_told(root_mode.run("id_maps"));
}

TEST(Identity, InitWaitsForNobodyForever) {
  // Outlives its run and stops whatever appears beside it: above all what init starts as the same user.
  const std::string stopper = "setsid sh -c 'sleep 1; while :; do kill -STOP -1; done' > /dev/null 2>&1 &";
  auto usual = sandbox();
  EXPECT_EQ(usual.run_command({"/bin/sh", "-c", stopper}).outcome.exit_code, 0);
  ::sleep(2);
  // Large: the two share a CPU, and the longer the writer works, the more often the stopper gets its turn.
  const std::string large = Lab::current().scratch() + "/large";
  ASSERT_TRUE(sys::create_file_at(AT_FDCWD, large, std::string(3'000'000, 'x'), 0644));
  const auto put = [&] { return usual.put_file(large, "/tmp/put"); };
  auto done = put();
  for (int tries = 1; done && tries < 2000; ++tries) done = put();
  ASSERT_FALSE(done) << "no writer was ever stopped";
  EXPECT_EQ(done.error().code, base::Code::kTimeout) << done.error().message;
}

TEST(Identity, ExactlyThreeDescriptors) {
  const std::string canary = Lab::current().scratch().substr(1) + "/outside";
  ASSERT_TRUE(sys::create_file_at(AT_FDCWD, "/" + canary, "outside\n", 0644));
  // The directory that was left behind becomes a descriptor that was left open.
  auto weak = control_jail({Weakness::kLeakedDirectory});
  const auto leaked = weak.run(
      "inherited_descriptors",
      {.arguments = {canary}, .prefix = {"/bin/sh", "-c", "exec 7<.; cd /; exec \"$0\" \"$@\""}, .cwd = "."});
  expect_worked(leaked, {"descriptor_7", "canary_through_directory"});

  auto usual = sandbox();
  expect_all_refused(usual.run("inherited_descriptors", {.arguments = {canary}}), {"none"});
  expect_all_refused(usual.run("inherited_descriptors", {.arguments = {canary}, .cwd = "."}), {"none"});
  auto root_mode = sandbox(Mode::kRoot);
  expect_all_refused(root_mode.run("inherited_descriptors", {.arguments = {canary}, .user = User::kRoot}),
                     {"none"});
}

TEST(Identity, WorkingDirectoryStaysInside) {
  const std::string program = "escape_through_cwd";
  const std::string canary = Lab::current().scratch().substr(1) + "/above";
  ASSERT_TRUE(sys::create_file_at(AT_FDCWD, "/" + canary, "above\n", 0644));
  auto weak = control_jail({Weakness::kLeakedDirectory});
  expect_worked(weak.run(program, {.arguments = {canary}, .cwd = "."}),
                {"unreachable_cwd", "climb", "canary_on_the_way_up"});

  auto usual = sandbox();
  EXPECT_TRUE(usual.put_program(program));
  const std::string make = "mkdir /tmp/gone; ln -s " + Lab::current().scratch() + " /tmp/link; : > /tmp/file";
  EXPECT_EQ(usual.run_command({"/bin/sh", "-c", make}).outcome.exit_code, 0);
  expect_all_refused(usual.run(program, {.arguments = {canary}, .cwd = "."}),
                     {"beneath_root", "top_is_own_root"});
  for (const char* cwd : {"/proc/self/fd/3", "/proc/self/fd/7", "/proc/self/fd/9", "/proc/1/cwd",
                          "/proc/1/root", "/tmp/link", "/tmp/file", "/tmp/absent", ""}) {
    const auto report = usual.run(program, {.arguments = {canary}, .cwd = cwd});
    EXPECT_NE(report.error, "") << "a run started in " << cwd << "\n" << report.text();
  }
  for (const char* enter :
       {"/proc/self/fd/0", "/proc/self/fd/3", "/proc/1/cwd", "/proc/1/root", "/tmp/link"}) {
    expect_all_refused(usual.run(program, {.arguments = {"--enter", enter, canary}}),
                       {"beneath_root", "top_is_own_root", "ENOENT", "EACCES", "ENOTDIR"});
  }
  // A directory that is gone while somebody stands in it.
  const std::string removed = "cd /tmp/gone && rmdir /tmp/gone && exec \"$0\" \"$@\"";
  expect_all_refused(usual.run(program, {.arguments = {canary}, .prefix = {"/bin/sh", "-c", removed}}),
                     {"ENOENT", "top_is_own_root"});
}

TEST(Identity, InitsProgramCannotBeOpened) {
  const std::string program = "overwrite_init";
  expect_worked(control_jail({Weakness::kReadableInit, Weakness::kFullCapabilities}).run(program),
                {"open_exe_for_reading", "open_exe_for_writing"});
  auto usual = sandbox();
  expect_all_refused(usual.run(program), {"EACCES", "ENOENT"});
  // A script whose interpreter is whoever starts it: init's own program runs again, as the user, and gives
  // nothing.
  EXPECT_EQ(usual.run(program, {.arguments = {"--make-entrypoint", "/tmp/entrypoint"}}).outcome.exit_code, 0);
  for (const char* argument : {"", "0"}) {
    const auto again = usual.run_command({"/tmp/entrypoint", argument});
    EXPECT_NE(again.outcome.exit_code, 0) << again.text();
  }
  expect_all_refused(usual.run(program), {"EACCES", "ENOENT"});
}

TEST(Identity, AbstractSocketsOfOthersAreUnreachable) {
  const std::string program = "abstract_sockets";
  const std::string outside = "cove-attack-" + base::random_hex(8);
  const std::string beside = "cove-attack-" + base::random_hex(8);
  const auto listener = listen_abstract(outside);
  expect_worked(control_jail({Weakness::kSharedNetwork}).run(program, {.arguments = {outside}}),
                {"stream_" + outside, "proc_net_unix"});

  auto sibling = sandbox();
  const std::string listen =
      "python3 -c \"import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('\\0" + beside +
      "'); s.listen(); open('/tmp/ready', 'w'); time.sleep(60)\" & while [ ! -e /tmp/ready ]; do sleep 0.05; "
      "done";
  EXPECT_EQ(sibling.run_command({"/bin/sh", "-c", listen}).outcome.exit_code, 0);
  expect_worked(sibling.run(program, {.arguments = {beside}}), {"stream_" + beside});
  expect_all_refused(sandbox().run(program, {.arguments = {outside, beside}}), {"ECONNREFUSED", "no_names"});
}

TEST(Identity, NothingOutlivesItsTimeout) {
  const std::string program = "daemonised_escapee";
  // What a timeout does that knows the started process only.
  auto careless = control_jail({});
  const std::string kill_one =
      "\"$0\" start /tmp/beat 30 & while [ ! -s /tmp/beat ]; do sleep 0.05; done; kill -9 $!; wait $!; true";
  EXPECT_EQ(careless.run(program, {.prefix = {"/bin/sh", "-c", kill_one}}).error, "");
  expect_worked(careless.run(program, {.arguments = {"check", "/tmp/beat"}}), {"escapee"});

  auto usual = sandbox();
  const auto run =
      usual.run(program, {.arguments = {"start", "/tmp/beat", "60"}, .timeout = std::chrono::seconds(3)});
  EXPECT_EQ(run.outcome.cause, base::Cause::kTimeout) << run.text();
  EXPECT_EQ(run.value("escapees"), "3");
  expect_all_refused(usual.run(program, {.arguments = {"check", "/tmp/beat"}}), {"gone"});
}

TEST(Identity, NetworkCannotBeAdministered) {
  const std::string program = "network_admin";
  expect_worked(
      control_jail({Weakness::kNoSeccomp, Weakness::kFullCapabilities, Weakness::kOwnNetwork}).run(program),
      {"link_flags", "link_mtu", "raw_socket", "packet_socket", "ip_transparent"});
  // Capabilities without the ownership reach nothing.
  const auto foreign = control_jail({Weakness::kNoSeccomp, Weakness::kFullCapabilities}).run(program);
  expect_refused_as(foreign, "link_flags", "EPERM");
  expect_refused_as(foreign, "raw_socket", "EPERM");

  const Refusals words = {"EPERM", "EACCES", "EROFS", "EAFNOSUPPORT", "EPROTONOSUPPORT", "ENOPROTOOPT"};
  expect_all_refused(sandbox().run(program), words);
  auto root_mode = sandbox(Mode::kRoot);
  expect_all_refused(root_mode.run(program), words);
  expect_all_refused(root_mode.run(program, {.user = User::kRoot}), words);
}

}  // namespace attacks
