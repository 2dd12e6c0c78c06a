#pragma once

#include <chrono>
#include <string>

#include "sys/fd.h"
#include "template/progress.h"

namespace cli {

// Progress of a long operation on the terminal: stages as lines, details as one line that is overwritten.
// Ctrl-C becomes a request to stop, so that the builder can clean up.
class BuildProgress final : public templates::Progress {
 public:
  static base::Result<BuildProgress> open();

  void stage(int k, int of, std::string_view what) override;
  void detail(std::string_view line) override;
  void finish();
  templates::Cancel cancel() const { return templates::Cancel(signals_.get()); }

 private:
  explicit BuildProgress(sys::UniqueFd signals);
  void clear_line();

  sys::UniqueFd signals_;
  const bool is_terminal_;
  const std::chrono::steady_clock::time_point start_;
};

}  // namespace cli
