// jail_bench: the stop watch of script/bench jail. Measures what it is given; bench/jail.py says what, and
// makes figures of the samples.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "bench/client/schedule.h"
#include "bench/client/steps.h"
#include "sys/file.h"

namespace {

using base::Result;

struct Arguments {
  std::string state;
  std::string template_name = "base";
  std::string cases;
  bench::Schedule schedule;
  bench::StepsOptions steps{.argv = {"/usr/bin/true"}};
  int pace_ms = 0;
};

// The samples go where stdout went; programs that are measured find /dev/null there.
Result<std::FILE*> keep_output_to_ourselves() {
  ASSIGN_OR_RETURN(const auto null, sys::open("/dev/null", O_RDWR));
  const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (out < 0) return base::failed_call("fcntl(F_DUPFD_CLOEXEC)");
  if (::dup2(null.get(), STDIN_FILENO) < 0 || ::dup2(null.get(), STDOUT_FILENO) < 0) {
    return base::failed_call("dup2");
  }
  std::FILE* file = ::fdopen(out, "w");
  if (file == nullptr) return base::failed_call("fdopen");
  return file;
}

Result<> measure(const Arguments& args) {
  ASSIGN_OR_RETURN(const auto cove, bench::Cove::find(args.state, args.template_name));
  ASSIGN_OR_RETURN(const auto text, sys::read_file(args.cases, 1 << 20));
  ASSIGN_OR_RETURN(const auto cases, bench::parse_cases(text));
  ASSIGN_OR_RETURN(std::FILE* const out, keep_output_to_ourselves());
  const auto done = bench::run_cases(cases, cove, args.schedule, out);
  if (std::fclose(out) != 0) return base::failed_call("write samples");
  return done;
}

Result<> steps(const Arguments& args) {
  ASSIGN_OR_RETURN(const auto cove, bench::Cove::find(args.state, args.template_name));
  return bench::print_steps(cove, args.steps);
}

void add_common(CLI::App& app, Arguments& args) {
  app.add_option("--state", args.state, "State directory of the instance to measure")->required();
  app.add_option("--template", args.template_name, "Name of the template")->capture_default_str();
  app.add_option("--pace", args.pace_ms, "Milliseconds of quiet before each sample")->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments args;
  CLI::App app{"Measures sandboxes, and what one would use instead."};
  app.require_subcommand(1);
  auto* run = app.add_subcommand("run", "All cases of a file, interleaved; samples to stdout");
  add_common(*run, args);
  run->add_option("--cases", args.cases, "File of cases (bench/client/schedule.h)")->required();
  run->add_option("--rounds", args.schedule.rounds, "Turns of each case")->capture_default_str();
  run->add_option("--warmup", args.schedule.warmup, "Rounds that do not count")->capture_default_str();
  run->add_option("--burst", args.schedule.burst, "Samples in a row per turn")->capture_default_str();
  run->add_option("--concurrency", args.schedule.concurrency, "At once, of one case")->capture_default_str();
  auto* phases = app.add_subcommand("steps", "Where the time of a spawner request goes");
  add_common(*phases, args);
  phases->add_option("--runs", args.steps.runs, "Samples")->capture_default_str();
  phases->add_option("argv", args.steps.argv, "Command to run")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  args.schedule.pace = args.steps.pace = std::chrono::milliseconds(args.pace_ms);
  const auto done = run->parsed() ? measure(args) : steps(args);
  if (done) return 0;
  std::fprintf(stderr, "jail_bench: %s\n", done.error().message.c_str());
  return 1;
}
