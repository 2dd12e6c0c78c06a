#include "cli/build_progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "sys/signals.h"

namespace cli {

base::Result<BuildProgress> BuildProgress::open() {
  ASSIGN_OR_RETURN(auto signals, sys::watch_signals({SIGINT, SIGTERM, SIGHUP}));
  return BuildProgress(std::move(signals));
}

BuildProgress::BuildProgress(sys::UniqueFd signals)
    : signals_(std::move(signals)),
      is_terminal_(::isatty(2) == 1),
      start_(std::chrono::steady_clock::now()) {}

void BuildProgress::stage(int k, int of, std::string_view what) {
  clear_line();
  const auto elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  fmt::print(stderr, "[{}/{}] {} ({:.0f} s)\n", k, of, what, elapsed);
}

void BuildProgress::detail(std::string_view line) {
  if (!is_terminal_) return;
  clear_line();
  fmt::print(stderr, "      {}", line.substr(0, 70));
}

void BuildProgress::finish() { clear_line(); }

void BuildProgress::clear_line() {
  if (is_terminal_) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace cli
