#include "bench/client/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <numeric>
#include <random>
#include <thread>

namespace bench {

namespace {

using base::Code;
using Clock = std::chrono::steady_clock;

struct Turn {
  std::size_t of = 0;  // index of the case
  bool counts = false;
};

// The order is drawn from a fixed seed: two runs do the same.
std::vector<Turn> plan_of(const std::vector<Case>& cases, const Schedule& schedule) {
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(1);
  std::vector<Turn> plan;
  for (int round = -schedule.warmup; round < schedule.rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t index : order) {
      if (round > 0 && round % cases[index].every != 0) continue;
      plan.insert(plan.end(), static_cast<std::size_t>(schedule.burst), {.of = index, .counts = round >= 0});
    }
  }
  return plan;
}

struct Sample {
  std::size_t of = 0;
  double microseconds = 0;
  std::string problem;
};

void number_words(std::vector<std::string>& words, const std::string& number) {
  for (std::string& word : words) {
    if (const std::size_t at = word.find("{n}"); at != std::string::npos) word.replace(at, 3, number);
  }
}

// When all workers were let go: whoever gets a core late has been waiting since then, and that counts.
struct Start {
  Clock::time_point& time;
  void operator()() noexcept { time = Clock::now(); }
};

struct Shared {
  const std::vector<Case>& cases;
  const Cove& cove;
  const Schedule& schedule;
  std::vector<Turn> plan;
  Clock::time_point start;
  std::barrier<Start> barrier{schedule.concurrency, Start{start}};
};

// Takes part in every turn with a sample of its own.
class Worker {
 public:
  Worker(Shared& shared, engine::SpawnerClient spawner, int number)
      : shared_(shared), spawner_(std::move(spawner)), number_(number) {}

  void work() {
    for (std::size_t turn = 0; turn < shared_.plan.size(); ++turn) {
      const auto [index, counts] = shared_.plan[turn];
      const Case& chosen = shared_.cases[index];
      Program program = chosen.program;
      number_words(program.argv, fmt::format("{}w{}", turn, number_));
      std::this_thread::sleep_for(shared_.schedule.pace);
      shared_.barrier.arrive_and_wait();
      const auto start = shared_.start;
      const auto done = chosen.kind == Case::Kind::kProgram
                            ? run_program(program)
                            : whole_life(spawner_, shared_.cove, command_of(program.argv));
      const std::chrono::duration<double, std::micro> took = Clock::now() - start;
      if (counts || !done) samples_.push_back({index, took.count(), done ? "" : done.error().message});
    }
  }

  const std::vector<Sample>& samples() const { return samples_; }

 private:
  Shared& shared_;
  engine::SpawnerClient spawner_;
  int number_;
  std::vector<Sample> samples_;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Result<Case> parse_case(const std::string& line) {
  std::vector<std::string> words = split(line, '\t');
  const std::string kind = words.size() > 3 ? words[2] : "";
  const int every = kind.empty() ? 0 : std::atoi(words[1].c_str());
  const std::size_t first = kind == "chroot" ? 4 : 3;
  if (every < 1 || words.size() <= first || (kind != "exec" && kind != "chroot" && kind != "request")) {
    return base::fail(Code::kInvalid, "not a case: " + line);
  }
  Case result;
  result.name = words[0];
  result.kind = kind == "request" ? Case::Kind::kRequest : Case::Kind::kProgram;
  result.every = every;
  if (kind == "chroot") result.program.root = words[3];
  result.program.argv.assign(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
  result.program.environment = engine::base_environment(wire::init::User::kUser, {});
  return result;
}

}  // namespace

Result<std::vector<Case>> parse_cases(const std::string& text) {
  std::vector<Case> cases;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    ASSIGN_OR_RETURN(auto one, parse_case(line));
    cases.push_back(std::move(one));
  }
  if (cases.empty()) return base::fail(Code::kInvalid, "there are no cases");
  return cases;
}

Result<> run_cases(const std::vector<Case>& cases, const Cove& cove, const Schedule& schedule,
                   std::FILE* out) {
  Shared shared{.cases = cases, .cove = cove, .schedule = schedule, .plan = plan_of(cases, schedule)};
  std::vector<Worker> workers;
  for (int number = 0; number < schedule.concurrency; ++number) {
    ASSIGN_OR_RETURN(auto spawner, cove.connect());
    workers.emplace_back(shared, std::move(spawner), number);
  }
  {
    std::vector<std::jthread> threads;
    for (Worker& worker : workers) threads.emplace_back([&worker] { worker.work(); });
  }
  for (const Worker& worker : workers) {
    for (const Sample& sample : worker.samples()) {
      fmt::print(out, "{}\t{:.1f}\t{}\n", cases[sample.of].name, sample.microseconds,
                 sample.problem.empty() ? "ok" : sample.problem);
    }
  }
  return {};
}

}  // namespace bench
