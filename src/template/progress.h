#pragma once

#include <string>
#include <string_view>

#include "template/rules.h"

namespace templates {

// What a build or an import tells while it works.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void stage(int k, int of, std::string_view what) = 0;
  // One line without control characters.
  virtual void detail(std::string_view line) = 0;
};

// What needs sandboxes of a template that is being made.
class StepRunner {
 public:
  virtual ~StepRunner() = default;
  // Runs one shell command of a recipe as root of a sandbox whose root file system is `root_dir`, writable.
  virtual Result<> run(const std::string& root_dir, const std::string& command, Progress& progress) = 0;
  // Imports what the finished template wants to have imported ahead, as its zygote will. With an error
  // nothing of a template without a name is left.
  virtual Result<> preload(const std::string& digest) = 0;
};

// Asks a long operation to stop: when `fd` (an eventfd, a pipe, a signalfd) becomes readable. The caller owns
// the descriptor; a default Cancel never asks.
class Cancel {
 public:
  Cancel() = default;
  explicit Cancel(int fd) : fd_(fd) {}
  int fd() const { return fd_; }
  bool requested() const;
  // kUnavailable "interrupted" when it was requested.
  Result<> check() const;

 private:
  int fd_ = -1;
};

}  // namespace templates
