// The books of the spawner, with real cgroups and processes but without a sandbox being built.
#include "spawner/sandboxes.h"

#include <unistd.h>

#include "spawner/host.h"
#include "sys/directory.h"
#include "sys/process.h"
#include "tests/support/instance.h"
#include "tests/support/result.h"
#include "tests/support/throwaway_cgroups.h"
#include "tests/support/use_memory.h"

namespace spawner {
namespace {

using base::Code;
using base::SandboxId;
using support::FailsSaying;
using support::FailsWith;
using testing::IsEmpty;

class SandboxesTest : public testing::Test {
 protected:
  Sandboxes fresh() {
    return Sandboxes({.paths = paths(),
                      .materials = materials_,
                      .cgroups = cgroups_.tree(),
                      .disks = *disks_,
                      .workspace_roots = {}});
  }
  const base::Paths& paths() const { return instance_.paths(); }

  // What a complete sandbox of an earlier spawner looks like from here: a process in its group, a record, a
  // socket.
  sys::Clone living(const SandboxId& id, const std::string& root = "root") {
    auto process = in_group(id);
    record(id, process.pid, root);
    return process;
  }

  // The same, and when told to it takes more memory than its group has.
  support::MemoryEater hungry(const SandboxId& id) {
    const auto group = cgroups_.tree().create(id.text(), support::kTight, 0).value();
    auto eater = support::MemoryEater::in(group);
    record(id, eater.process.pid);
    return eater;
  }

  void record(const SandboxId& id, pid_t pid, const std::string& root = "root") {
    EXPECT_OK(save_record(paths(), {.id = id, .first_id = 1 << 24, .pid = pid, .root = root}));
    EXPECT_OK(sys::create_file_at(AT_FDCWD, socket_path(paths(), id), ""));
  }

  sys::Clone in_group(const SandboxId& id) {
    const auto group = cgroups_.tree().create(id.text(), support::kRoomy, 0).value();
    auto process = sys::clone_process({.cgroup = group.unified.get()}).value();
    if (process.is_child()) {
      while (true) ::pause();
    }
    return process;
  }

  // Of a template that is there.
  wire::spawner::Create possible_request() {
    wire::spawner::Create request;
    const std::string digest(64, 'a');
    EXPECT_OK(sys::mkdirat(AT_FDCWD, paths().templates + "/" + digest, 0700));
    EXPECT_OK(sys::mkdirat(AT_FDCWD, paths().templates + "/" + digest + "/root", 0755));
    request.root.set(digest);
    request.memory_bytes = 64 << 20;
    request.disk_bytes = 32 << 20;
    request.cpu_millis = 1000;
    request.max_pids = 16;
    return request;
  }

  void expect_no_trace() {
    EXPECT_THAT(cgroups_.tree().list().value(), IsEmpty());
    EXPECT_THAT(sys::entries(paths().sandboxes).value(), IsEmpty());
  }

  support::Instance instance_ = support::Instance::make().value();
  support::ThrowawayCgroups cgroups_ = support::ThrowawayCgroups::make().value();
  jail::Materials materials_ = with_host();

  std::unique_ptr<Disks> disks_ = make_tmpfs_disks({}, instance_.paths()).value();

 private:
  static jail::Materials with_host() {
    jail::Materials materials;
    materials.host = read_host().value();
    return materials;
  }
};

TEST_F(SandboxesTest, ACompleteSandboxIsTakenOverAndCanBeEnded) {
  const auto id = SandboxId::random();
  const auto process = living(id);
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  EXPECT_EQ(sandboxes.alive(), 1U);
  EXPECT_TRUE(sandboxes.all().contains(id));
  EXPECT_OK(sys::pidfd_kill(process.pidfd.get(), 0)) << "and was not touched";
  ASSERT_OK(sandboxes.destroy(id));
  EXPECT_EQ(sandboxes.alive(), 0U);
  EXPECT_EQ(sys::wait_pidfd(process.pidfd.get())->signal, SIGKILL);
  ASSERT_OK(sandboxes.finish_endings());
  expect_no_trace();
}

TEST_F(SandboxesTest, APid1ThatWasKilledForMemoryIsToldAsThatAndRemembered) {
  const auto id = SandboxId::random();
  auto eater = hungry(id);
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  eater.eat();
  EXPECT_EQ(sandboxes.destroy(id).value(), EndedAs::kOutOfMemory);
  ASSERT_OK(sandboxes.finish_endings());
  expect_no_trace();
  EXPECT_EQ(sandboxes.destroy(id).value(), EndedAs::kOutOfMemory) << "for whoever asks later";
}

TEST_F(SandboxesTest, APid1ThatDiedForMemoryWhileThereWasNoSpawnerIsToldAsThat) {
  const auto id = SandboxId::random();
  auto eater = hungry(id);
  eater.eat();
  ASSERT_OK(sys::wait_pidfd(eater.process.pidfd.get()));
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  expect_no_trace();
  EXPECT_EQ(sandboxes.destroy(id).value(), EndedAs::kOutOfMemory);
}

TEST_F(SandboxesTest, APid1ThatWasKilledOtherwiseIsNotToldAsOutOfMemory) {
  const auto id = SandboxId::random();
  const auto process = living(id);
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  ASSERT_OK(sys::pidfd_kill(process.pidfd.get(), SIGKILL));
  ASSERT_OK(sys::wait_pidfd(process.pidfd.get()));
  EXPECT_EQ(sandboxes.destroy(id).value(), EndedAs::kUnknown);
  EXPECT_EQ(sandboxes.destroy(id).value(), EndedAs::kUnknown) << "it is known that it ended by itself";
}

TEST_F(SandboxesTest, WhatWasKilledForMemoryBeforeIsNotWhyALivingSandboxEnds) {
  const auto id = SandboxId::random();
  const auto group = cgroups_.tree().create(id.text(), support::kTight, 0).value();
  const auto pid1 = support::MemoryEater::in(group);
  record(id, pid1.process.pid);
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  EXPECT_EQ(support::use_memory(group, support::kTooMuch).signal, SIGKILL);
  EXPECT_GE(cgroups_.tree().oom_kills(id.text()).value(), 1U);
  EXPECT_EQ(sandboxes.destroy(id).value(), EndedAs::kUnknown);
  EXPECT_OK(sandboxes.destroy(id)) << "as long as it is ending";
  ASSERT_OK(sandboxes.finish_endings());
  EXPECT_THAT(sandboxes.destroy(id), FailsWith(Code::kNotFound));
}

TEST_F(SandboxesTest, TheCpusOfALivingSandboxAreReadBack) {
  const auto id = SandboxId::random();
  const auto usual = sys::cpus_of(0).value();
  const sys::CpuNumbers last{usual.back()};
  ASSERT_OK(sys::run_on(last));
  const auto process = living(id);  // inherits it
  ASSERT_OK(sys::run_on(usual));
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  EXPECT_EQ(sandboxes.all().at(id).cpus, last);
  ASSERT_OK(sandboxes.destroy(id));
}

TEST_F(SandboxesTest, MoreCpusThanTheHostHasAreRefusedAndLeaveNothing) {
  Sandboxes sandboxes = fresh();
  auto request = possible_request();
  request.cpu_millis = static_cast<std::uint32_t>(materials_.host.cpus.size() * 1000 + 1);
  EXPECT_THAT(sandboxes.create(request), FailsWith(Code::kInvalid));
  EXPECT_THAT(sandboxes.create(request), FailsSaying("more than this host has"));
  expect_no_trace();
}

TEST_F(SandboxesTest, WhatHasNoRecordIsKilledAndRemoved) {
  const auto process = in_group(SandboxId::random());
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  EXPECT_EQ(sandboxes.alive(), 0U);
  EXPECT_FALSE(sys::pidfd_kill(process.pidfd.get(), 0)) << "killed and reaped";
  expect_no_trace();
}

TEST_F(SandboxesTest, ARecordWhosePidIsNowSomebodyElsesCountsAsDead) {
  const auto id = SandboxId::random();
  const auto stranger = sys::clone_process({}).value();
  if (stranger.is_child()) {
    while (true) ::pause();
  }
  ASSERT_OK(save_record(paths(), {.id = id, .first_id = 1 << 24, .pid = stranger.pid, .root = "root"}));
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  EXPECT_EQ(sandboxes.alive(), 0U);
  EXPECT_OK(sys::pidfd_kill(stranger.pidfd.get(), 0)) << "the stranger lives";
  expect_no_trace();
  EXPECT_OK(sys::pidfd_kill(stranger.pidfd.get(), SIGKILL));
  EXPECT_OK(sys::wait_pidfd(stranger.pidfd.get()));
}

TEST_F(SandboxesTest, SocketsAndDraftsOfHalfMadeOnesGo) {
  const auto id = SandboxId::random();
  ASSERT_OK(sys::create_file_at(AT_FDCWD, socket_path(paths(), id), ""));
  ASSERT_OK(sys::create_file_at(AT_FDCWD,
                                paths().sandboxes + "/" + SandboxId::random().text() + ".record.new", "id="));
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  expect_no_trace();
}

TEST_F(SandboxesTest, WhatIsNotASandboxIsLeftAlone) {
  ASSERT_OK(sys::create_file_at(AT_FDCWD, paths().sandboxes + "/README", "hello"));
  ASSERT_OK(cgroups_.tree().create("operators-own", support::kRoomy, 0));
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  EXPECT_THAT(sys::entries(paths().sandboxes).value(), testing::ElementsAre("README"));
  EXPECT_THAT(cgroups_.tree().list().value(), testing::ElementsAre("operators-own"));
}

TEST_F(SandboxesTest, EndingWhatIsNotThereIsNotFound) {
  Sandboxes sandboxes = fresh();
  EXPECT_THAT(sandboxes.destroy(SandboxId::random()), FailsWith(Code::kNotFound));
}

TEST_F(SandboxesTest, ATemplateInUseIsNotRetired) {
  const std::string digest(64, 'a');
  ASSERT_OK(sys::mkdirat(AT_FDCWD, paths().templates + "/" + digest, 0755));
  const auto id = SandboxId::random();
  const auto process = living(id, digest);
  Sandboxes sandboxes = fresh();
  ASSERT_OK(sandboxes.reconcile());
  EXPECT_THAT(sandboxes.retire_template(digest), FailsWith(Code::kConflict));
  ASSERT_OK(sandboxes.destroy(id));
  ASSERT_OK_AND_ASSIGN(const auto trash, sandboxes.retire_template(digest));
  EXPECT_THAT(sys::entries(paths().builds).value(), testing::ElementsAre(trash));
  EXPECT_THAT(sys::entries(paths().templates).value(), IsEmpty());
  EXPECT_THAT(sandboxes.retire_template(digest), FailsWith(Code::kNotFound));
  EXPECT_THAT(sandboxes.retire_template("../x"), FailsWith(Code::kInvalid));
}

TEST_F(SandboxesTest, ARequestToWeakenIsRefused) {
  Sandboxes sandboxes = fresh();
  wire::spawner::Create request;
  request.weaken = 1;
  EXPECT_THAT(sandboxes.create(request), FailsWith(Code::kDenied));
}

TEST_F(SandboxesTest, AnImpossibleRequestLeavesNothing) {
  Sandboxes sandboxes = fresh();
  EXPECT_THAT(sandboxes.create({}), FailsWith(Code::kInvalid));
  auto request = possible_request();
  request.workspace_access = wire::spawner::Access::kReadOnly;
  request.workspace.set("/etc");
  EXPECT_THAT(sandboxes.create(request), FailsSaying("workspace_roots"));
  EXPECT_EQ(sandboxes.alive(), 0U);
  ASSERT_OK(sandboxes.wind_down());
  expect_no_trace();
}

}  // namespace
}  // namespace spawner
