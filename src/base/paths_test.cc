#include "base/paths.h"

#include <gtest/gtest.h>

#include <vector>

namespace base {
namespace {

std::vector<std::string> all_of(const Paths& p) {
  return {p.templates,      p.builds,       p.run,         p.sandboxes, p.stage,
          p.spawner_socket, p.spawner_lock, p.spawner_log, p.cgroup};
}

TEST(Paths, TwoStateDirectoriesShareNothing) {
  const auto one = all_of(Paths::of("/var/lib/a"));
  const auto other = all_of(Paths::of("/var/lib/b"));
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NE(one[i], other[i]);
}

TEST(Paths, TheSameStateDirectoryIsAlwaysTheSameInstance) {
  EXPECT_EQ(all_of(Paths::of("/srv/cove")), all_of(Paths::of("/srv/cove")));
}

TEST(Paths, TheDefaultHasThePlainName) {
  const auto paths = Paths::of(Paths::kDefaultState);
  EXPECT_EQ(paths.run, "/run/cove");
  EXPECT_EQ(paths.cgroup, "cove");
}

TEST(Paths, ASocketPathFitsTheKernelsField) {
  // A sandbox's socket is <sandboxes>/<16 characters>.sock, whatever the state directory's length is.
  const auto paths = Paths::of("/" + std::string(2000, 'x'));
  EXPECT_LT((paths.sandboxes + "/0123456789abcdef.sock").size(), 108U);
  EXPECT_LT(paths.spawner_socket.size(), 108U);
}

}  // namespace
}  // namespace base
