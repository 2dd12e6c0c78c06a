#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "sys/directory.h"
#include "sys/file.h"
#include "template/build.h"
#include "template/delete_tree.h"

// Helpers of this folder's tests. They need root: a template's files have owners.
namespace templates::test {

// A directory that goes with its owner.
class Scratch {
 public:
  explicit Scratch(const std::string& parent = "/tmp") : path_(parent + "/cove-template-test.XXXXXX") {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { EXPECT_TRUE(delete_tree(path_)); }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class Recorder : public Progress {
 public:
  void stage(int k, int of, std::string_view what) override {
    stages.push_back(std::to_string(k) + "/" + std::to_string(of) + " " + std::string(what));
  }
  void detail(std::string_view line) override { details.emplace_back(line); }

  std::vector<std::string> stages;
  std::vector<std::string> details;
};

class RecordingRunner : public StepRunner {
 public:
  Result<> run(const std::string& root_dir, const std::string& command, Progress&) override {
    roots.push_back(root_dir);
    commands.push_back(command);
    return {};
  }
  Result<> preload(const std::string& digest) override {
    preloaded.push_back(digest);
    return {};
  }

  std::vector<std::string> preloaded;
  std::vector<std::string> roots;
  std::vector<std::string> commands;
};

inline void write_text(const std::string& path, std::string_view text, mode_t mode = 0644) {
  const auto made = sys::create_file_at(AT_FDCWD, path, text, mode);
  EXPECT_TRUE(made) << made.error().message;
}

inline void make_dir(const std::string& path, mode_t mode = 0755) {
  EXPECT_TRUE(sys::mkdirat(AT_FDCWD, path, mode)) << path;
}

// The few files of a real system that a build edits, as an installer would leave them.
inline Result<> install_tiny_system(const Recipe&, const Staging& staging, Progress&, const Cancel&) {
  const auto root = staging.root();
  for (const auto* path : {"", "/etc", "/etc/skel", "/usr", "/usr/bin", "/dev", "/run", "/var"})
    make_dir(root + path);
  write_text(root + "/etc/passwd", "root:x:0:0:root:/root:/bin/bash\n");
  write_text(root + "/etc/group", "root:x:0:\n");
  write_text(root + "/etc/shadow", "root:*:1:0:99999:7:::\n", 0640);
  write_text(root + "/etc/gshadow", "root:*::\n", 0640);
  write_text(root + "/etc/skel/.bashrc", "# hello\n");
  write_text(root + "/usr/bin/tool", "#!/bin/sh\n", 04755);
  EXPECT_EQ(::link((root + "/usr/bin/tool").c_str(), (root + "/usr/bin/twin").c_str()), 0);
  EXPECT_TRUE(sys::symlinkat("usr/bin", AT_FDCWD, root + "/bin"));
  EXPECT_TRUE(sys::symlinkat("/proc/sys/kernel/core_pattern", AT_FDCWD, root + "/etc/resolv.conf"));
  return {};
}

inline Recipe tiny_recipe() {
  Recipe recipe;
  recipe.suite = "trixie";
  recipe.environment = {{"LANG", "C.UTF-8"}};
  recipe.files = {{.path = "/home/user/.config/x", .mode = 0600, .content = "mine\n"}};
  return recipe;
}

inline BuildRequest tiny_request(const std::string& name, Recipe recipe = tiny_recipe()) {
  return {.name = name, .recipe = std::move(recipe), .install = install_tiny_system};
}

inline Store open_store(const std::string& state) {
  auto store = Store::open(state);
  EXPECT_TRUE(store) << store.error().message;
  return *std::move(store);
}

inline BuildOutcome build_tiny(const Store& store, const BuildRequest& request) {
  Recorder progress;
  RecordingRunner runner;
  auto outcome = build(store, request, progress, runner);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome ? *std::move(outcome) : BuildOutcome{};
}

// What a failed operation must leave: the guard and nothing else in builds.
inline std::vector<std::string> leftovers(const Store& store) {
  auto names = sys::entries(store.builds());
  EXPECT_TRUE(names);
  std::erase(*names, ".guard");
  return *names;
}

}  // namespace templates::test
