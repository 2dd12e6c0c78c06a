// A directory with a million names. It lies in memory, and its files are links to one: that takes seconds.
#include <unistd.h>

#include <cstdlib>

#include "tests/support/file_worker_peer.h"
#include "tests/support/memory_of.h"

namespace files {
namespace {

using wire::file::List;

constexpr std::size_t kMany = 1'000'000;
// What the names themselves take, and as much again while their list grows.
constexpr std::size_t kMostMemory = 192 << 20;

class HugeDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(path_.data()), nullptr);
    const auto directory = sys::open(path_, O_PATH | O_DIRECTORY).value();
    ASSERT_OK(sys::create_file_at(directory.get(), "1000000", ""));
    for (std::size_t i = 1; i < kMany; ++i) {
      const std::string name = std::to_string(kMany + i);
      ASSERT_EQ(::linkat(directory.get(), "1000000", directory.get(), name.c_str(), 0), 0);
    }
  }

  std::string path_ = "/dev/shm/cove-XXXXXX";
  support::FilePeer worker_;
};

TEST_F(HugeDirectoryTest, IsListedInPagesOrAsAStreamAndRemovedWithinBounds) {
  const std::size_t memory = support::memory_of([&] {
    const auto page = worker_.ask(List{.path = path_, .skip = kMany - 1000, .limit = 1000});
    ASSERT_EQ(page.entries.size(), 1000U);
    EXPECT_EQ(page.entries.back().path, "1999999");
    worker_.begin(List{.path = path_});
    std::size_t listed = 0;
    support::FileAnswer answer;
    for (bool is_done = false; !is_done && !answer.failed;) {
      const auto event = worker_.next(answer);
      if (const auto* entries = std::get_if<wire::file::Entries>(&event)) listed += entries->entries.size();
      is_done = std::holds_alternative<wire::file::Done>(event);
    }
    EXPECT_EQ(listed, kMany);
    EXPECT_EQ(worker_.ask(wire::file::Remove{.path = path_, .tree = 1}).done.entries, kMany + 1);
  });
  if (support::kMemoryIsOurs) EXPECT_LT(memory, kMostMemory);
  EXPECT_NE(::access(path_.c_str(), F_OK), 0);
  RecordProperty("memory_mib", static_cast<int>(memory >> 20));
}

}  // namespace
}  // namespace files
