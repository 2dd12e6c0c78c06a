#include "template/digest.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <functional>

#include "template/test_support.h"
#include "template/tree.h"

namespace templates {
namespace {

using test::make_dir;
using test::write_text;

// A small tree: a directory, a file, its twin, a link.
void plant(const std::string& root) {
  make_dir(root);
  make_dir(root + "/d");
  write_text(root + "/d/f", "text");
  write_text(root + "/g", "text");
  ASSERT_EQ(::link((root + "/g").c_str(), (root + "/h").c_str()), 0);
  ASSERT_TRUE(sys::symlinkat("d/f", AT_FDCWD, root + "/s"));
}

Result<TreeDigest> digest_of(const std::string& root) {
  ASSIGN_OR_RETURN(const auto tree, Tree::open(root));
  return digest_tree(tree.root());
}

TEST(Digest, IsTheSameForEqualTreesWhateverTheirTimesAndOrder) {
  const test::Scratch scratch;
  plant(scratch / "a");
  const auto b = scratch / "b";
  make_dir(b);
  ASSERT_TRUE(sys::symlinkat("d/f", AT_FDCWD, b + "/s"));
  write_text(b + "/h", "text");
  ASSERT_EQ(::link((b + "/h").c_str(), (b + "/g").c_str()), 0);
  make_dir(b + "/d");
  write_text(b + "/d/f", "text");
  const timeval times[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(::utimes((b + "/d/f").c_str(), times), 0);
  const auto first = digest_of(scratch / "a");
  const auto second = digest_of(b);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->digest, second->digest);
  EXPECT_EQ(first->bytes, 8U);
  EXPECT_EQ(first->entries, 6U);
}

TEST(Digest, SeesEveryChange) {
  const std::vector<std::pair<const char*, std::function<void(const std::string&)>>> changes = {
      {"content", [](const auto& r) { EXPECT_TRUE(sys::write_existing(r + "/d/f", "TEXT")); }},
      {"mode", [](const auto& r) { EXPECT_EQ(::chmod((r + "/d/f").c_str(), 0600), 0); }},
      {"setuid", [](const auto& r) { EXPECT_EQ(::chmod((r + "/d/f").c_str(), 04644), 0); }},
      {"owner", [](const auto& r) { EXPECT_EQ(::chown((r + "/d/f").c_str(), 7, 0), 0); }},
      {"group", [](const auto& r) { EXPECT_EQ(::chown((r + "/d").c_str(), 0, 7), 0); }},
      {"link owner", [](const auto& r) { EXPECT_EQ(::lchown((r + "/s").c_str(), 7, 0), 0); }},
      {"name", [](const auto& r) { EXPECT_EQ(::rename((r + "/d/f").c_str(), (r + "/d/F").c_str()), 0); }},
      {"new file", [](const auto& r) { write_text(r + "/new", ""); }},
      {"new directory", [](const auto& r) { make_dir(r + "/new"); }},
      {"root mode", [](const auto& r) { EXPECT_EQ(::chmod(r.c_str(), 0700), 0); }},
      {"hard link split",
       [](const auto& r) {
         EXPECT_EQ(::unlink((r + "/h").c_str()), 0);
         write_text(r + "/h", "text");
       }},
      {"link target",
       [](const auto& r) {
         EXPECT_EQ(::unlink((r + "/s").c_str()), 0);
         EXPECT_TRUE(sys::symlinkat("g", AT_FDCWD, r + "/s"));
       }},
  };
  for (const auto& [what, change] : changes) {
    const test::Scratch scratch;
    plant(scratch / "t");
    const auto before = digest_of(scratch / "t");
    change(scratch / "t");
    const auto after = digest_of(scratch / "t");
    ASSERT_TRUE(before && after) << what;
    EXPECT_NE(before->digest, after->digest) << what;
  }
}

TEST(Digest, RefusesWhatATemplateMayNotHold) {
  const std::vector<std::pair<const char*, std::function<void(const std::string&)>>> intruders = {
      {"fifo", [](const auto& r) { EXPECT_EQ(::mkfifo((r + "/x").c_str(), 0600), 0); }},
      {"whiteout", [](const auto& r) { EXPECT_EQ(::mknod((r + "/x").c_str(), S_IFCHR | 0600, 0), 0); }},
      {"foreign id", [](const auto& r) { EXPECT_EQ(::chown((r + "/g").c_str(), 65'536, 0), 0); }},
      {"newline in a name", [](const auto& r) { write_text(r + "/a\nb", ""); }},
      {"socket",
       [](const auto& r) {
         const sys::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
         sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
         (r + "/x").copy(address.sun_path, sizeof address.sun_path - 1);
         EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
       }},
      {"too deep",
       [](const auto& r) {
         std::string path = r;
         for (int i = 0; i < 65; ++i) make_dir(path += "/d2");
       }},
  };
  for (const auto& [what, plant_intruder] : intruders) {
    const test::Scratch scratch;
    plant(scratch / "t");
    plant_intruder(scratch / "t");
    const auto digest = digest_of(scratch / "t");
    ASSERT_FALSE(digest) << what;
    EXPECT_EQ(digest.error().code, base::Code::kInvalid) << what;
  }
}

}  // namespace
}  // namespace templates
