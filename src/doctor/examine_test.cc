// On a real kernel, as root: the machine that builds Cove has everything, and what is taken away is missed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "doctor/child.h"
#include "doctor/finding.h"
#include "doctor/render.h"
#include "sys/caps.h"
#include "sys/cgroup_mounts.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/mount.h"
#include "sys/process.h"
#include "sys/seccomp.h"

namespace doctor {
namespace {

using base::Result;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::chrono::milliseconds kLong{120'000};

Options options() { return {.state_directory = "/tmp/cove-doctor-test/none"}; }

std::string summary(const Report& report) {
  std::string out = report.default_tier_works() ? "works\n" : "does not work\n";
  for (const auto& finding : report.findings)
    out += finding.id + "=" + std::string(name_of(finding.status)) + "\n";
  return out;
}

// Examines in a child from which `take_away` has taken something.
std::string examined_without(const std::function<Result<>()>& take_away) {
  const auto answer = run_bounded(
      [&] -> Result<std::string> {
        RETURN_IF_ERROR(take_away());
        return summary(examine(options()));
      },
      kLong);
  return answer ? *answer : "could not examine: " + answer.error().message;
}

Result<> refuse_call(unsigned number) {
  const std::array<sock_filter, 4> filter = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  return sys::install_seccomp_filter(filter);
}

Result<> own_mounts() {
  RETURN_IF_ERROR(sys::unshare(CLONE_NEWNS));
  return sys::make_private_recursive();
}

Result<> make_read_only(const std::string& path) {
  if (::mount("none", path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0) return {};
  return base::failed_call("remount(" + path + ", ro)");
}

Result<> make_cgroups_read_only() {
  RETURN_IF_ERROR(own_mounts());
  ASSIGN_OR_RETURN(const auto mounts, sys::find_cgroup_mounts());
  RETURN_IF_ERROR(make_read_only(mounts.unified));
  for (const auto& [controller, path] : mounts.controllers) RETURN_IF_ERROR(make_read_only(path));
  return {};
}

Result<> cover_part_of_proc() {
  RETURN_IF_ERROR(own_mounts());
  if (::mount("none", "/proc/fs", "tmpfs", 0, "size=4k") != 0) return base::failed_call("mount(/proc/fs)");
  return {};
}

TEST(Examine, ThisMachineHasAllThatIsRequired) {
  const auto report = examine(options());
  for (const auto& finding : report.findings) {
    if (finding.level != Level::kRequired) continue;
    EXPECT_TRUE(finding.status == Status::kOk || finding.status == Status::kWeak)
        << finding.id << ": " << finding.found;
  }
  EXPECT_TRUE(report.default_tier_works());
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().id, "root");
}

TEST(Examine, EveryFindingIsCompleteAndItsIdUnique) {
  std::map<std::string, int> seen;
  for (const auto& finding : examine(options()).findings) {
    EXPECT_EQ(++seen[finding.id], 1) << finding.id;
    for (const auto& text : {finding.found, finding.needed, finding.why, finding.fix}) {
      EXPECT_FALSE(text.empty()) << finding.id;
    }
  }
  for (const char* id :
       {"ns.user", "fs.overlay", "fs.idmapped_lower", "cgroup.memory", "cgroup.kill", "disk.space"}) {
    EXPECT_EQ(seen[id], 1) << id;
  }
}

TEST(Examine, ARefusedSystemCallIsMissed) {
  const auto text = examined_without([] { return refuse_call(SYS_openat2); });
  EXPECT_THAT(text, StartsWith("does not work\n"));
  EXPECT_THAT(text, HasSubstr("\nopenat2=missing\n"));
  EXPECT_THAT(text, HasSubstr("\npidfd=ok\n"));
}

TEST(Examine, AHostWithoutClone3IsStillExamined) {
  const auto text = examined_without([] { return refuse_call(SYS_clone3); });
  EXPECT_THAT(text, HasSubstr("\nclone3.into_cgroup=missing\n"));
  EXPECT_THAT(text, HasSubstr("\nns.user=ok\n"));
  EXPECT_THAT(text, HasSubstr("\ncgroup.kill=ok\n"));
}

TEST(Examine, ReadOnlyCgroupsAreMissed) {
  const auto text = examined_without(make_cgroups_read_only);
  EXPECT_THAT(text, StartsWith("does not work\n"));
  for (const char* id : {"cgroup.kill", "clone3.into_cgroup", "cgroup.memory", "cgroup.pids", "cgroup.cpu"}) {
    EXPECT_THAT(text, HasSubstr("\n" + std::string(id) + "=missing\n"));
  }
  EXPECT_THAT(text, HasSubstr("\nfs.overlay=ok\n"));
}

TEST(Examine, AProcThatContainersMaskIsMissed) {
  const auto text = examined_without(cover_part_of_proc);
  EXPECT_THAT(text, StartsWith("does not work\n"));
  EXPECT_THAT(text, HasSubstr("\nns.proc=missing\n"));
  EXPECT_THAT(text, HasSubstr("\nns.user=ok\n"));
}

TEST(Examine, RootWithoutSysAdminIsMissed) {
  const auto text = examined_without([] {
    const sys::CapMask all = (sys::CapMask{1} << 25) - 1;
    const sys::CapMask kept = all & ~sys::cap(CAP_SYS_ADMIN) & ~sys::cap(CAP_SYS_RESOURCE);
    return sys::set_capabilities(kept, kept, 0);
  });
  EXPECT_THAT(text, HasSubstr("\ncaps=missing\n"));
  EXPECT_THAT(text, HasSubstr("\nns.mount=missing\n"));
  EXPECT_THAT(text, HasSubstr("\nroot=ok\n"));
}

TEST(Examine, AnOrdinaryUserIsToldFirstAndStillHelped) {
  const auto text = run_bounded(
      [] -> Result<std::string> {
        RETURN_IF_ERROR(sys::set_ids(65534, 65534));
        const auto report = examine(options());
        return render_text(report).substr(0, 40) + "\n" + summary(report);
      },
      kLong);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, StartsWith("This is not the machine's root"));
  EXPECT_THAT(*text, HasSubstr("\ndoes not work\n"));
  EXPECT_THAT(*text, HasSubstr("\nroot=missing\n"));
  EXPECT_THAT(*text, HasSubstr("\nns.user=unknown\n"));
  EXPECT_THAT(*text, HasSubstr("\nseccomp.filter=ok\n"));
  EXPECT_THAT(*text, HasSubstr("\nmemfd.seal=ok\n"));
  EXPECT_THAT(*text, HasSubstr("\narch=ok\n"));
}

TEST(Examine, AFileInTheWayOfTheStateDirectoryIsMissed) {
  const auto report = examine({.state_directory = "/dev/null"});
  const auto it = std::ranges::find(report.findings, "state.directory", &Finding::id);
  ASSERT_NE(it, report.findings.end());
  EXPECT_EQ(it->status, Status::kMissing);
}

// What this process has that an examination could leave behind.
Result<std::string> traces_of_process() {
  ASSIGN_OR_RETURN(auto out, sys::read_file("/proc/self/mountinfo", 16 << 20));
  ASSIGN_OR_RETURN(const auto descriptors, sys::entries("/proc/self/fd"));
  out += std::to_string(descriptors.size()) + " descriptors\n";
  ASSIGN_OR_RETURN(const auto mounts, sys::find_cgroup_mounts());
  std::vector<std::string> hierarchies{mounts.unified};
  for (const auto& [controller, path] : mounts.controllers) hierarchies.push_back(path);
  for (const auto& hierarchy : hierarchies) {
    // Other processes may come and go beside this one, so only groups of our own name count.
    const std::string ours = hierarchy + "/cove-doctor-" + std::to_string(::getpid());
    if (::access(ours.c_str(), F_OK) == 0) out += ours + "\n";
  }
  return out + (::waitpid(-1, nullptr, WNOHANG) == -1 ? "no child\n" : "a child\n");
}

TEST(Examine, NothingStaysBehind) {
  const auto outcome = run_bounded(
      [] -> Result<std::string> {
        // Of its own, so that mounts which others make meanwhile do not show.
        RETURN_IF_ERROR(own_mounts());
        ASSIGN_OR_RETURN(const auto before, traces_of_process());
        (void)examine(options());
        ASSIGN_OR_RETURN(const auto after, traces_of_process());
        return before == after ? "same" : before + "---\n" + after;
      },
      kLong);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(*outcome, "same");
  EXPECT_NE(::access("/tmp/cove-doctor-test", F_OK), 0);
}

// The call waits for a decision of whoever holds the listener, and nobody decides.
Result<int> hold_call(unsigned number) {
  std::array<sock_filter, 4> filter = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{.len = filter.size(), .filter = filter.data()};
  const auto listener =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  if (listener < 0) return base::failed_call("seccomp(NEW_LISTENER)");
  return static_cast<int>(listener);
}

TEST(Examine, AnAttemptThatHangsIsUnknownAndTheOthersGoOn) {
  const auto text = run_bounded(
      [] -> Result<std::string> {
        RETURN_IF_ERROR(hold_call(SYS_pidfd_open));
        auto impatient = options();
        impatient.attempt_deadline = std::chrono::milliseconds(3000);
        return summary(examine(impatient));
      },
      kLong);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, StartsWith("does not work\n"));
  EXPECT_THAT(*text, HasSubstr("\npidfd=unknown\n"));
  EXPECT_THAT(*text, HasSubstr("\nseccomp.filter=ok\n"));
}

}  // namespace
}  // namespace doctor
