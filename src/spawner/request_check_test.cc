#include "spawner/request_check.h"

#include "tests/support/result.h"

namespace spawner {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using wire::spawner::Access;
using wire::spawner::Create;
using wire::spawner::Mode;
using wire::spawner::RootKind;

Create ordinary() {
  Create request;
  request.root.set(std::string(64, 'a'));
  request.memory_bytes = 512 << 20;
  request.disk_bytes = 256 << 20;
  request.cpu_millis = 1000;
  request.max_pids = 256;
  return request;
}

TEST(RequestCheck, AnOrdinaryRequestPasses) { EXPECT_OK(check_limits(ordinary())); }

TEST(RequestCheck, ALimitOutOfRangeIsNamed) {
  struct Case {
    void (*spoil)(Create&);
    const char* name;
  };
  const Case cases[] = {
      {[](Create& r) { r.memory_bytes = 0; }, "memory"},
      {[](Create& r) { r.memory_bytes = ~0ULL; }, "memory"},
      {[](Create& r) { r.disk_bytes = 1; }, "disk"},
      {[](Create& r) { r.disk_bytes = ~0ULL; }, "disk"},
      {[](Create& r) { r.cpu_millis = 0; }, "cpus"},
      {[](Create& r) { r.cpu_millis = ~0U; }, "cpus"},
      {[](Create& r) { r.max_pids = 0; }, "processes"},
      {[](Create& r) { r.max_pids = ~0U; }, "processes"},
  };
  for (const Case& one : cases) {
    Create request = ordinary();
    one.spoil(request);
    EXPECT_THAT(check_limits(request), FailsWith(Code::kInvalid));
    EXPECT_THAT(check_limits(request), FailsSaying(one.name));
  }
}

TEST(RequestCheck, ADiskOfNoSizeIsTheBackendsDefault) {
  Create request = ordinary();
  request.disk_bytes = 0;
  EXPECT_OK(check_limits(request));
}

TEST(RequestCheck, RootNeverWritesToAWorkspace) {
  Create request = ordinary();
  request.mode = Mode::kRoot;
  request.workspace_access = Access::kReadWrite;
  EXPECT_THAT(check_limits(request), FailsWith(Code::kInvalid));
  request.workspace_access = Access::kReadOnly;
  EXPECT_OK(check_limits(request));
}

TEST(RequestCheck, ATemplateIsFoundByItsDigestAlone) {
  const auto paths = base::Paths::of("/state");
  EXPECT_EQ(root_directory(ordinary(), paths).value(), "/state/templates/" + std::string(64, 'a') + "/root");
  for (const std::string& bad :
       {std::string(), std::string("base"), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'),
        std::string(64, 'g'), "../" + std::string(61, 'a')}) {
    Create request = ordinary();
    request.root.set(bad);
    EXPECT_THAT(root_directory(request, paths), FailsWith(Code::kInvalid)) << bad;
  }
}

TEST(RequestCheck, ABuildIsADirectoryNameAndRunsInRootMode) {
  const auto paths = base::Paths::of("/state");
  Create request = ordinary();
  request.root_kind = RootKind::kBuild;
  request.root.set("build.1f-A_2");
  EXPECT_THAT(root_directory(request, paths), FailsSaying("root mode"));
  request.mode = Mode::kRoot;
  EXPECT_EQ(root_directory(request, paths).value(), "/state/builds/build.1f-A_2/root");
  for (const char* bad : {"", ".", "..", ".hidden", "a/b", "../x", "a b", "a\n", "\xc3\xa4"}) {
    request.root.set(bad);
    EXPECT_THAT(root_directory(request, paths), FailsWith(Code::kInvalid)) << bad;
  }
}

TEST(RequestCheck, EachKindOfSandboxHasItsFilter) {
  jail::Materials materials;
  materials.user_filter_hash = "user";
  materials.user_no_setid_filter_hash = "no setid";
  materials.root_filter_hash = "root";
  Create request = ordinary();
  EXPECT_EQ(filter_choice(request, materials).hash, "user");
  request.workspace_access = Access::kReadOnly;
  EXPECT_EQ(filter_choice(request, materials).hash, "user");
  request.workspace_access = Access::kReadWrite;
  EXPECT_EQ(filter_choice(request, materials).hash, "no setid") << "what it writes is seen by the host";
  request.mode = Mode::kRoot;
  EXPECT_EQ(filter_choice(request, materials).hash, "root");
}

}  // namespace
}  // namespace spawner
