#include "sys/mount.h"

#include <sched.h>
#include <unistd.h>

#include <cerrno>

#include "sys/process.h"
#include "sys/temp_dir.h"
#include "sys/user_namespace.h"
#include "tests/support/in_child.h"
#include "tests/support/result.h"

namespace sys {
namespace {

using support::in_child;

// In a mount namespace of its own, with a directory to mount on.
Result<> in_private_mounts(const std::function<Result<>(int dir)>& body) {
  ASSIGN_OR_RETURN(const auto temp, TempDir::make());
  return in_child(
      [&]() -> Result<> {
        RETURN_IF_ERROR(make_private_recursive());
        ASSIGN_OR_RETURN(const auto mount, make_mount("tmpfs", {{"mode", "0755"}, {"size", "1m"}}, 0));
        ASSIGN_OR_RETURN(const auto here, open(temp.path(), O_PATH | O_DIRECTORY));
        RETURN_IF_ERROR(attach_mount(mount.get(), here.get(), "."));
        ASSIGN_OR_RETURN(const auto top, open(temp.path(), O_RDONLY | O_DIRECTORY));
        return body(top.get());
      },
      {.flags = CLONE_NEWNS});
}

TEST(Mount, AFileSystemHasTheOptionsItWasMadeWith) {
  EXPECT_OK(in_private_mounts([](int dir) -> Result<> {
    RETURN_IF_ERROR(create_file_at(dir, "f", "x"));
    RETURN_IF_ERROR(fchdir(dir));
    CHILD_EXPECT(is_mount_root(".").value_or(false));
    CHILD_EXPECT(!is_mount_root("f").value_or(true));
    ASSIGN_OR_RETURN(const auto space, free_space("."));
    CHILD_EXPECT(space.bytes > 0 && space.bytes <= (1 << 20));
    return {};
  }));
}

TEST(Mount, AnUnknownFileSystemOrOptionIsNamed) {
  EXPECT_THAT(make_mount("nosuchfs", {}, 0), support::FailsSaying("fsopen(nosuchfs)"));
  EXPECT_THAT(make_mount("tmpfs", {{"nosuch", "1"}}, 0), support::FailsSaying("nosuch=1"));
}

TEST(Mount, ABindShowsTheSourceReadOnlyWhenAsked) {
  EXPECT_OK(in_private_mounts([](int dir) -> Result<> {
    for (const char* name : {"source", "target"}) RETURN_IF_ERROR(mkdirat(dir, name, 0755));
    RETURN_IF_ERROR(create_file_at(dir, "source/f", "text"));
    ASSIGN_OR_RETURN(const auto source, openat(dir, "source", O_PATH | O_DIRECTORY));
    RETURN_IF_ERROR(bind_fd(source.get(), dir, "target", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID));
    ASSIGN_OR_RETURN(const auto text, read_file_at(dir, "target/f"));
    CHILD_EXPECT(text == "text");
    const auto written = write_existing_at(dir, "target/f", "x");
    CHILD_EXPECT(!written && written.error().sys_errno == EROFS);
    return write_existing_at(dir, "source/f", "x");
  }));
}

TEST(Mount, AttachingFollowsNoLinkAndDoesNotClimb) {
  EXPECT_OK(in_private_mounts([](int dir) -> Result<> {
    for (const char* name : {"in", "out"}) RETURN_IF_ERROR(mkdirat(dir, name, 0755));
    RETURN_IF_ERROR(symlinkat("../out", dir, "in/link"));
    ASSIGN_OR_RETURN(const auto in, openat(dir, "in", O_PATH | O_DIRECTORY));
    ASSIGN_OR_RETURN(const auto mount, make_mount("tmpfs", {}, 0));
    const auto by_link = attach_mount(mount.get(), in.get(), "link");
    CHILD_EXPECT(!by_link);
    const auto by_dots = attach_mount(mount.get(), in.get(), "../out");
    CHILD_EXPECT(!by_dots && by_dots.error().sys_errno == EXDEV);
    return {};
  }));
}

TEST(Mount, ATreeCloneHasWhatIsMountedBelowAndASingleOneHasNot) {
  EXPECT_OK(in_private_mounts([](int dir) -> Result<> {
    RETURN_IF_ERROR(mkdirat(dir, "below", 0755));
    ASSIGN_OR_RETURN(const auto below, make_mount("tmpfs", {}, 0));
    RETURN_IF_ERROR(create_file_at(below.get(), "f", ""));
    RETURN_IF_ERROR(attach_mount(below.get(), dir, "below"));
    ASSIGN_OR_RETURN(const auto tree, clone_mount_tree(dir, ""));
    ASSIGN_OR_RETURN(const auto single, clone_mount(dir, ""));
    CHILD_EXPECT(fstatat(tree.get(), "below/f").has_value());
    CHILD_EXPECT(!fstatat(single.get(), "below/f").has_value());
    return {};
  }));
}

TEST(Mount, IdsAppearShiftedAndFilesBelongToTheOwner) {
  EXPECT_OK(in_private_mounts([](int dir) -> Result<> {
    for (const char* name : {"source", "target"}) RETURN_IF_ERROR(mkdirat(dir, name, 0755));
    RETURN_IF_ERROR(fchownat(dir, "source", 1001, 100));
    ASSIGN_OR_RETURN(const auto map, make_user_namespace({.inside = 1001, .outside = 5000, .count = 1},
                                                         {.inside = 100, .outside = 6000, .count = 1}));
    ASSIGN_OR_RETURN(const auto mount, clone_mount(dir, "source"));
    RETURN_IF_ERROR(idmap_mount(mount.get(), map.get()));
    RETURN_IF_ERROR(attach_mount(mount.get(), dir, "target"));
    ASSIGN_OR_RETURN(const auto seen, fstatat(dir, "target"));
    CHILD_EXPECT(seen.st_uid == 5000 && seen.st_gid == 6000);
    ASSIGN_OR_RETURN(const auto target, openat(dir, "target", O_PATH | O_DIRECTORY));
    RETURN_IF_ERROR(in_child([&]() -> Result<> {
      RETURN_IF_ERROR(set_ids(5000, 6000));
      return create_file_at(target.get(), "f", "mine");
    }));
    ASSIGN_OR_RETURN(const auto made, fstatat(dir, "source/f"));
    CHILD_EXPECT(made.st_uid == 1001 && made.st_gid == 100);
    return {};
  }));
}

TEST(Mount, AfterAPivotTheOldRootIsGone) {
  EXPECT_OK(in_private_mounts([](int dir) -> Result<> {
    RETURN_IF_ERROR(create_file_at(dir, "only", ""));
    RETURN_IF_ERROR(pivot_root_here(dir));
    RETURN_IF_ERROR(detach_mount("."));
    RETURN_IF_ERROR(chdir("/"));
    CHILD_EXPECT(fstatat(AT_FDCWD, "/only").has_value());
    const auto gone = fstatat(AT_FDCWD, "/etc");
    CHILD_EXPECT(!gone && gone.error().sys_errno == ENOENT);
    return {};
  }));
}

TEST(Mount, NothingOfThisShowsOutside) {
  ASSERT_OK_AND_ASSIGN(const auto before, read_file("/proc/self/mountinfo", 16 << 20));
  ASSERT_OK(in_private_mounts([](int) -> Result<> { return {}; }));
  EXPECT_EQ(read_file("/proc/self/mountinfo", 16 << 20).value(), before);
}

}  // namespace
}  // namespace sys
