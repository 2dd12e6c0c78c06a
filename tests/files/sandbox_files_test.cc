// File calls from the engine into real sandboxes.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "engine/files.h"
#include "tests/support/result.h"
#include "tests/support/world.h"

namespace {

using base::Code;
using engine::Files;
using support::FailsWith;
using support::World;
using testing::ElementsAre;
using testing::HasSubstr;
using wire::file::List;
using wire::file::Read;
using wire::file::Remove;
using wire::file::Write;

class Silent : public engine::RunObserver {
 public:
  base::Result<> output(wire::init::Channel, std::string_view bytes) override {
    text += bytes;
    return {};
  }
  std::string text;
};

class SandboxFiles : public testing::Test {
 protected:
  void begin(engine::SandboxOptions options = {}) {
    auto& spawner = World::current()->spawner();
    options.root = spawner.base_template();
    auto made = engine::Sandbox::create(spawner.client(), options);
    ASSERT_OK(made);
    sandbox_.emplace(*std::move(made));
    files_.emplace(*sandbox_);
  }
  void TearDown() override {
    if (sandbox_) EXPECT_OK(sandbox_->destroy(World::current()->spawner().client()));
  }
  std::string run(const std::string& script) {
    Silent observer;
    const engine::Command command{.argv = {"sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}};
    EXPECT_OK(sandbox_->run(command, observer));
    return observer.text;
  }

  std::optional<engine::Sandbox> sandbox_;
  std::optional<Files> files_;
};

TEST_F(SandboxFiles, AFileGoesInComesOutAndBelongsToTheUser) {
  begin();
  const std::string text(3'000'000, 't');
  ASSERT_OK(files_->write({.path = "/home/user/a/b/file", .parents = wire::file::Parents::kMake}, text));
  EXPECT_EQ(run("id -u; stat -c '%u %g %s' a/b/file"), "1000\n1000 1000 3000000\n");
  EXPECT_EQ(files_->read({.path = "/home/user/a/b/file"}).value_or(""), text);
  EXPECT_EQ(files_->read({.path = "/home/user/a/b/file", .offset = 2'999'999}).value_or(""), "t");
  EXPECT_THAT(files_->read({.path = "/home/user/a/b/file"}, 1000), FailsWith(Code::kExhausted));
  EXPECT_EQ(files_->stat("/home/user/a/b/file")->uid, 1000U);
  ASSERT_OK_AND_ASSIGN(const auto listed, files_->list({.path = "/home/user/a", .depth = 2}));
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[1].path, "b/file");
  EXPECT_OK(files_->call(wire::file::SetAttribute{.path = "/home/user/a", .name = "user.k", .value = "v"}));
  EXPECT_EQ(files_->attributes("/home/user/a")->at(0).value, "v");
  EXPECT_OK(files_->call(Remove{.path = "/home/user/a", .tree = 1}));
  EXPECT_THAT(files_->stat("/home/user/a"), FailsWith(Code::kNotFound));
}

class UntilItWatches : public engine::FileObserver {
 public:
  base::Result<> changed(const wire::file::Changed& changed) override {
    EXPECT_EQ(changed.change, wire::file::Change::kWatching);
    return base::fail(Code::kConflict, "seen enough");
  }
};

TEST_F(SandboxFiles, ModesAreSetAndTreesWatchedByAProcessThatCannotBeLookedInto) {
  begin();
  run("mkdir -p a/b; touch a/file");
  EXPECT_OK(files_->call(wire::file::SetMode{.path = "/home/user/a/file", .mode = 0}));
  EXPECT_OK(files_->call(wire::file::SetMode{.path = "/home/user/a/file", .mode = 0640}));
  EXPECT_EQ(run("stat -c %a a/file"), "640\n");
  UntilItWatches observer;
  EXPECT_THAT(files_->call(wire::file::Watch{.path = "/home/user", .tree = 1}, observer),
              support::FailsSaying("seen enough"));
  EXPECT_OK(files_->stat("/home/user")) << "the next call is served";
}

TEST_F(SandboxFiles, LinksAndDotsLeadNowhereButInside) {
  begin();
  ASSERT_OK(sys::create_file_at(AT_FDCWD, World::current()->scratch() + "/canary", "of the host"));
  const std::string canary = World::current()->scratch() + "/canary";
  run("ln -s / root; ln -s ../../../../../../.. up; ln -s " + canary +
      " canary; ln -s /etc/shadow shadow; mkdir d; ln -s /etc d/etc");
  const std::string hostname = run("cat /etc/hostname");
  for (const auto* path : {"/home/user/root/etc/hostname", "/home/user/up/etc/hostname",
                           "/home/user/d/etc/hostname", "/../../../../etc/hostname", "//etc//hostname"}) {
    EXPECT_EQ(files_->read({.path = path}).value_or("(nothing)"), hostname) << path;
  }
  EXPECT_THAT(files_->read({.path = "/home/user/canary"}), FailsWith(Code::kNotFound));
  EXPECT_THAT(files_->read({.path = canary}), FailsWith(Code::kNotFound));
  EXPECT_THAT(files_->read({.path = "/home/user/shadow"}), FailsWith(Code::kDenied));
  EXPECT_THAT(files_->write({.path = "/home/user/d/etc/passwd"}, "x"), FailsWith(Code::kDenied));
  EXPECT_THAT(files_->call(wire::file::SetMode{.path = "/home/user/shadow", .mode = 0777}),
              FailsWith(Code::kDenied));
  for (const auto* path : {"/proc/self/root/etc/hostname", "/proc/self/fd/3", "/dev/fd/0", "/dev/stdin"}) {
    EXPECT_THAT(files_->read({.path = path}), FailsWith(Code::kDenied)) << path;
  }
  EXPECT_OK(files_->call(Remove{.path = "/home/user/d", .tree = 1}));
  EXPECT_EQ(files_->read({.path = "/etc/hostname"}).value_or(""), hostname);
  EXPECT_EQ(sys::read_file(canary).value_or(""), "of the host");
}

TEST_F(SandboxFiles, NamesOfEveryKindAreTakenAsBytesOrRefused) {
  begin();
  const std::string home = "/home/user/";
  for (const std::string& name :
       {std::string("%2e%2e"), std::string("..."), std::string("new\nline"), std::string("\xff\xfe"),
        std::string("\x1b[2J"), std::string("a\\b"), std::string(255, 'n')}) {
    ASSERT_OK(files_->write({.path = home + name}, "text")) << testing::PrintToString(name);
    EXPECT_EQ(files_->read({.path = home + name}).value_or(""), "text");
    EXPECT_EQ(files_->stat(home + name)->path, name);
    EXPECT_OK(files_->call(Remove{.path = home + name}));
  }
  for (const std::string& path : {std::string(), std::string("file"), std::string("../etc/passwd"),
                                  std::string("/home/user/a\0b", 14), "/" + std::string(4096, 'n')}) {
    EXPECT_THAT(files_->write({.path = path}, "x"), FailsWith(Code::kInvalid))
        << testing::PrintToString(path);
    EXPECT_THAT(files_->stat(path), FailsWith(Code::kInvalid));
  }
  EXPECT_FALSE(files_->write({.path = home + std::string(256, 'n')}, "x"));
  EXPECT_THAT(files_->write({.path = home + "../../etc/passwd"}, "x"), FailsWith(Code::kDenied));
}

TEST_F(SandboxFiles, AFullDiskLeavesTheOldFileAndReadingAndRemoving) {
  begin({.disk_bytes = 32 << 20});
  ASSERT_OK(files_->write({.path = "/home/user/file"}, "old"));
  run("head -c 20000000 /dev/urandom > filler");
  const auto failed = files_->write({.path = "/home/user/file"}, std::string(40 << 20, 'n'));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kExhausted) << failed.error().message;
  EXPECT_EQ(engine::cause_of(failed.error()), base::Cause::kDiskFull);
  EXPECT_EQ(files_->read({.path = "/home/user/file"}).value_or(""), "old");
  EXPECT_EQ(run("ls -A | grep -c part$"), "0\n");
  run("cat /dev/zero > more 2>/dev/null");
  EXPECT_EQ(files_->read({.path = "/home/user/file"}).value_or(""), "old");
  EXPECT_OK(files_->list({.path = "/home/user"}));
  EXPECT_OK(files_->call(Remove{.path = "/home/user/more"}));
  EXPECT_OK(files_->call(Remove{.path = "/home/user/filler"}));
  EXPECT_OK(files_->write({.path = "/home/user/file"}, "new"));
}

TEST_F(SandboxFiles, ArchivesGoInAndOutAndBelongToTheUser) {
  begin();
  const std::string make_tar =
      "import tarfile\nwith tarfile.open('a.tar', 'w', format=tarfile.PAX_FORMAT) as tar: tar.add('from')";
  EXPECT_EQ(run("export LANG=C.UTF-8; mkdir from; echo text > from/gr\xc3\xbc\xc3\x9f.txt; python3 -c \"" +
                make_tar + "\"; python3 -m zipfile -c a.zip from; ln -s / from/root"),
            "");
  for (const auto& [name, format] :
       {std::pair{"a.tar", wire::file::Format::kTar}, {"a.zip", wire::file::Format::kZip}}) {
    ASSERT_OK_AND_ASSIGN(const auto bytes, files_->read({.path = std::string("/home/user/") + name}));
    SCOPED_TRACE(std::string(name) + " of " + std::to_string(bytes.size()) + " bytes");
    ASSERT_OK(files_->unpack({.path = "/home/user/to", .format = format}, bytes));
    EXPECT_EQ(run("cat to/from/gr*; stat -c %u to/from/gr*; ls -A to; rm -r to"), "text\n1000\nfrom\n")
        << name;
  }
  ASSERT_OK_AND_ASSIGN(const auto packed,
                       files_->pack({.path = "/home/user/from", .format = wire::file::Format::kTarGzip}));
  ASSERT_OK(files_->write({.path = "/home/user/b.tgz"}, packed));
  EXPECT_EQ(run("mkdir b; tar xf b.tgz -C b; cat b/gr*; readlink b/root"), "text\n/\n");
}

// Whose filter has no openat2, and no modes with set-id bits.
TEST_F(SandboxFiles, AWorkspaceIsReadAndNotWrittenWhenItIsReadOnly) {
  const std::string workspace = World::current()->scratch() + "/workspace";
  ASSERT_OK(sys::mkdirat(AT_FDCWD, workspace, 0755));
  ASSERT_OK(sys::create_file_at(AT_FDCWD, workspace + "/file", "shared"));
  begin({.workspace_access = wire::spawner::Access::kReadOnly, .workspace = workspace});
  EXPECT_EQ(files_->read({.path = "/workspace/file"}).value_or(""), "shared");
  EXPECT_THAT(files_->write({.path = "/workspace/file"}, "x"), FailsWith(Code::kDenied));
  ASSERT_OK(files_->write({.path = "/home/user/file"}, "x"));
  EXPECT_OK(files_->call(Remove{.path = "/home/user/file", .tree = 1}));
}

TEST_F(SandboxFiles, ATreeIsRemovedWhole) {
  begin();
  run("mkdir -p x/y/z; touch x/y/z/file .profile");
  EXPECT_OK(files_->call(Remove{.path = "/home/user/x", .tree = 1}));
  EXPECT_OK(files_->call(Remove{.path = "/home/user/.profile", .tree = 1}));
  EXPECT_EQ(run("ls -A | grep -e x -e profile"), "");
}

}  // namespace

int main(int argc, char** argv) { return support::run_tests_in_world(argc, argv); }
