// Group E: what the kernel counts by number: files, locks, signals, priorities. A sandbox has its share, and
// neither its siblings nor the host's root have less for it.
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "sys/caps.h"
#include "sys/file.h"
#include "tests/attacks/verdicts.h"

namespace attacks {

namespace {

constexpr long kNoise = 500;  // what the rest of the machine may do meanwhile

// Signals that are pending for the user of this process, the host's root, and for all it has to answer for.
long pending_for_root() {
  const auto status = sys::read_file("/proc/self/status");
  const std::size_t at = status ? status->find("SigQ:") : std::string::npos;
  return at == std::string::npos ? -1 : std::stol(status->substr(at + 5));
}

long open_files_of_the_machine() {
  const auto text = sys::read_file("/proc/sys/fs/file-nr");
  return text ? std::stol(*text) : -1;
}

// Leaves the program behind, and what it said in a file, which the run prints.
Start in_background(std::vector<std::string> arguments, User user = User::kUser) {
  const std::string script =
      "\"$0\" \"$@\" >/tmp/said & while [ ! -s /tmp/said ]; do sleep 0.02; done; cat /tmp/said";
  return {.arguments = std::move(arguments), .prefix = {"/bin/sh", "-c", script}, .user = user};
}

// Whether the root of this machine has CAP_SYS_RESOURCE.
bool may_use_resources() {
  const auto status = sys::read_file("/proc/self/status");
  const std::size_t at = status ? status->find("CapEff:") : std::string::npos;
  if (at == std::string::npos) return false;
  return (std::stoull(status->substr(at + 7), nullptr, 16) & sys::cap(CAP_SYS_RESOURCE)) != 0;
}

// Runs the program as what this process is.
Report in_no_jail(const std::string& program) {
  Report report;
  FILE* const output = ::popen(built_program(program).c_str(), "r");
  for (char line[512]; output != nullptr && std::fgets(line, sizeof line, output) != nullptr;) {
    parse_line(std::string_view(line, std::strcspn(line, "\n")), report);
  }
  report.outcome.exit_code = output == nullptr ? -1 : WEXITSTATUS(::pclose(output));
  return report;
}

// Pages of the file that wait to be written.
std::uint64_t dirty_pages(int file) {
  struct {
    std::uint64_t offset, length;
  } whole = {0, 0};
  struct {
    std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
  } found = {};
  constexpr long kCachestat = 451;
  EXPECT_EQ(::syscall(kCachestat, file, &whole, &found, 0), 0);
  return found.dirty;
}

// How much of what was just written here is still unwritten after the program has run.
std::uint64_t unwritten_after(Subject& subject) {
  const std::string path = Lab::current().scratch() + "/unwritten";
  const auto file = sys::open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  EXPECT_TRUE(file);
  EXPECT_TRUE(sys::write_all(file->get(), std::string(256 << 10, 'x')));
  EXPECT_GT(dirty_pages(file->get()), 0U);
  const auto report = subject.run("flush_the_machine");
  expect_told(report);
  return dirty_pages(file->get());
}

}  // namespace

TEST(Bounds, OpenFilesRunOutInsideOnly) {
  const std::string program = "open_files";
  const Start start{.arguments = {"5000"}};
  const long before = open_files_of_the_machine();
  expect_worked(control_jail({Weakness::kNoRlimits}).run(program, start), {"open", "in_flight"});

  auto sibling = sandbox();
  auto usual = sandbox();
  // What it has from the start, and what it can get.
  for (const Start& tried : {start, Start{.arguments = {"70000", "raise"}}}) {
    const auto report = usual.run(program, tried);
    expect_all_refused(report, {"EMFILE", "ETOOMANYREFS"});
    expect_refused_as(report, "in_flight", "ETOOMANYREFS");
    EXPECT_LE(std::stol(report.value("files")), std::stol(report.value("limit")));
  }
  EXPECT_EQ(sibling.run_command({"/bin/true"}).outcome.exit_code, 0);
  // Whatever was open is closed again, also what nobody held.
  for (int i = 0; i < 100 && open_files_of_the_machine() > before + 20'000; ++i) ::usleep(50'000);
  EXPECT_LE(open_files_of_the_machine(), before + 20'000);
}

TEST(Bounds, KernelObjectsAreCountedPerSandbox) {
  const std::string program = "kernel_objects";
  expect_worked(
      control_jail({Weakness::kNoRlimits, Weakness::kNoUserLimits, Weakness::kNoSeccomp}).run(program),
      {"signals", "timers", "message_queues", "inotify", "aio"});
  expect_all_refused(sandbox().run(program), {"EAGAIN", "EMFILE", "ENOSPC", "ENOSYS"});
}

// The kernel adds up what it counts by user along the makers of user namespaces.
TEST(Bounds, TheHostsRootPaysForNobody) {
  const std::string program = "kernel_objects";
  const long before = pending_for_root();
  {
    auto roots = control_jail({Weakness::kWholeIdRange, Weakness::kNoRlimits});
    const auto held = roots.run(program, in_background({"hold"}));
    EXPECT_EQ(held.value("pending"), "4000") << held.text();
    EXPECT_GT(pending_for_root(), before + 4000 - kNoise) << "without a nursery of another it is root's";
  }
  auto usual = sandbox(Mode::kRoot);
  const auto held = usual.run(program, in_background({"hold", "8"}, User::kRoot));
  EXPECT_LE(std::stol("0" + held.value("pending")), 1024) << "of all ids together";
  EXPECT_GT(std::stol("0" + held.value("pending")), 0) << held.text();
  EXPECT_LT(pending_for_root(), before + kNoise);
  // Who has none left is ended by its deadline all the same.
  const auto late = usual.run(program, {.arguments = {"hold"}, .timeout = std::chrono::milliseconds(300)});
  EXPECT_EQ(late.outcome.cause, base::Cause::kTimeout) << late.text();
}

TEST(Bounds, SyncFlushesNobodyElse) {
  auto open = control_jail({Weakness::kNoSeccomp});
  EXPECT_EQ(unwritten_after(open), 0U);
  auto usual = sandbox();
  // The machine writes by itself now and then; a call that flushes does so every time.
  std::uint64_t left = 0;
  for (int tries = 0; tries < 5 && left == 0; ++tries) left = unwritten_after(usual);
  EXPECT_GT(left, 0U);
}

TEST(Bounds, LocksAreNotFeltNextDoor) {
  const std::string program = "shared_locks";
  const std::string shared = Lab::current().scratch() + "/shared";
  ASSERT_TRUE(sys::create_file_at(AT_FDCWD, shared, "shared\n", 0666));
  ASSERT_EQ(::chmod(shared.c_str(), 0666), 0);
  {
    auto one = control_jail({Weakness::kOldRootStays});
    auto other = control_jail({Weakness::kOldRootStays});
    const std::string file = "/oldroot" + shared;
    EXPECT_EQ(one.run(program, in_background({"hold", file})).value("holding"), "1");
    expect_worked(other.run(program, {.arguments = {"try", file}}), {"flock:" + file, "ofd:" + file});
  }
  const std::vector<std::string> files = {"/usr",       "/bin/sh",       "/etc/passwd",
                                          "/etc/hosts", "/dev/null",     "/dev/urandom",
                                          "/dev/shm",   "/proc/version", "/sys/fs/cgroup/memory.max"};
  const auto with = [&files](const char* verb) {
    std::vector<std::string> arguments = {verb};
    arguments.insert(arguments.end(), files.begin(), files.end());
    return arguments;
  };
  auto one = sandbox();
  const auto held = one.run(program, in_background(with("hold")));
  EXPECT_EQ(held.value("holding"), std::to_string(files.size())) << held.text();
  const auto own = one.run(program, {.arguments = with("try")});
  expect_worked(own, {"flock:/bin/sh", "flock:/dev/null", "ofd:/dev/null"});
  auto other = sandbox();
  expect_all_refused(other.run(program, {.arguments = with("try")}), {"free"});
}

TEST(Bounds, NoCoreIsDumped) {
  const std::string program = "core_dump";
  const auto pattern = sys::read_file("/proc/sys/kernel/core_pattern");
  ASSERT_TRUE(pattern);
  const auto dumped = control_jail({Weakness::kNoRlimits}).run(program);
  expect_worked(dumped, {"dumped"});
  // Where a program takes the cores, none lies about.
  if (*pattern == "core\n") expect_worked(dumped, {"file"});
  const auto report = sandbox().run(program);
  expect_all_refused(report, {"none", "EPERM"});
  EXPECT_EQ(report.value("hard_limit"), "1") << "0 would start the program of a piped pattern";
}

TEST(Bounds, NoPinnedMemory) {
  const std::string program = "pinned_memory";
  expect_worked(control_jail({Weakness::kNoSeccomp}).run(program),
                {"huge_mmap", "huge_mmap_high_bit", "huge_memfd"});
  expect_worked(control_jail({Weakness::kNoRlimits}).run(program), {"mlock", "mlockall", "shm_lock"});
  expect_all_refused(sandbox().run(program), {"EPERM", "ENOMEM", "EAGAIN"});
}

TEST(Bounds, NobodyIsMoreImportant) {
  const std::string program = "raise_own_priority";
  // No jail can be made that lacks this wall alone: only the host's root may, whose capability it is. So it
  // runs as that, for a moment, in the scratch world.
  expect_worked(in_no_jail(program), {"nice", "io_real_time"});
  expect_all_refused(sandbox().run(program), {"EPERM", "EACCES"});
  auto root_mode = sandbox(Mode::kRoot);
  expect_all_refused(root_mode.run(program, {.user = User::kRoot}), {"EPERM", "EACCES"});
}

// With a floor, nothing in a sandbox is as safe from the kernel's killer as the host's own processes are.
TEST(Bounds, TheKillerComesToSandboxesFirst) {
  const std::string program = "lower_oom_score";
  expect_worked(control_jail({Weakness::kNoOomFloor}).run(program), {"as_the_host"});
  const auto report = sandbox().run(program);
  EXPECT_EQ(report.value("score"), "500") << report.text();
  // To put a floor takes a capability that root has nearly everywhere; `cove doctor` tells where not.
  if (may_use_resources()) expect_all_refused(report, {"EACCES"});
  expect_refused_as(report, "never", "EACCES");
}

}  // namespace attacks
