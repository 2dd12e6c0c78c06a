// contexts_bench: the stop watch of script/bench contexts. Takes orders from bench/contexts.py on stdin, a
// JSON object a line, and answers each with one: the microseconds that it took, or an error.
#include <CLI/CLI.hpp>
#include <barrier>
#include <boost/json.hpp>
#include <cstdio>
#include <iostream>
#include <thread>

#include "bench/client/context_request.h"

namespace {

using base::Result;
using bench::Session;
using boost::json::array;
using boost::json::object;
using boost::json::value;
using Clock = std::chrono::steady_clock;

std::int64_t microseconds_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
}

std::string text(const object& order, const char* key) { return std::string(order.at(key).as_string()); }

class Watch {
 public:
  explicit Watch(bench::Cove cove, engine::SpawnerClient spawner)
      : cove_(std::move(cove)), spawner_(std::move(spawner)) {}

  Result<object> follow(const object& order) {
    const std::string what = text(order, "do");
    if (what == "first") return first(order);
    if (what == "cell") return cell(order);
    if (what == "burst") return burst(order);
    if (what == "hold") return hold(order);
    if (what == "release") return release();
    return base::fail(base::Code::kInvalid, "unknown order " + what);
  }

 private:
  // From nothing to the first result.
  Result<object> first(const object& order) {
    ASSIGN_OR_RETURN(const auto start, bench::start_of(text(order, "start")));
    const auto begin = Clock::now();
    ASSIGN_OR_RETURN(auto session, Session::begin(spawner_, cove_, start));
    const auto ready = microseconds_since(begin);
    RETURN_IF_ERROR(session.run(text(order, "code")));
    const auto took = microseconds_since(begin);
    RETURN_IF_ERROR(session.end(spawner_));
    return object{{"us", took}, {"sandbox_us", session.create_us()}, {"ready_us", ready}};
  }

  // In a context that is kept.
  Result<object> cell(const object& order) {
    if (!kept_) {
      ASSIGN_OR_RETURN(kept_, Session::begin(spawner_, cove_, bench::Start::kFresh));
    }
    const auto begin = Clock::now();
    ASSIGN_OR_RETURN(const auto written, kept_->run(text(order, "code")));
    return object{{"us", microseconds_since(begin)}, {"bytes", written}};
  }

  // Many at once, each over a connection of its own.
  Result<object> burst(const object& order) {
    ASSIGN_OR_RETURN(const auto start, bench::start_of(text(order, "start")));
    const std::int64_t count = order.at("count").as_int64();
    const std::string code = text(order, "code");
    std::vector<Result<std::int64_t>> took(static_cast<std::size_t>(count), 0);
    std::barrier together(count);
    {
      std::vector<std::jthread> threads;
      for (auto& one : took) {
        threads.emplace_back([&] { one = one_of_many(start, code, together); });
      }
    }
    array all;
    for (auto& one : took) {
      if (!one) return std::unexpected(std::move(one).error());
      all.push_back(*one);
    }
    return object{{"all_us", std::move(all)}};
  }

  Result<std::int64_t> one_of_many(bench::Start start, const std::string& code,
                                   std::barrier<>& together) const {
    auto spawner = cove_.connect();
    together.arrive_and_wait();
    const auto begin = Clock::now();
    if (!spawner) return std::unexpected(std::move(spawner).error());
    ASSIGN_OR_RETURN(auto session, Session::begin(*spawner, cove_, start));
    RETURN_IF_ERROR(session.run(code));
    const auto took = microseconds_since(begin);
    RETURN_IF_ERROR(session.end(*spawner));
    return took;
  }

  Result<object> hold(const object& order) {
    const auto count = static_cast<std::size_t>(order.at("count").as_int64());
    while (held_.size() < count) {
      ASSIGN_OR_RETURN(auto session, Session::begin(spawner_, cove_, bench::Start::kFresh));
      RETURN_IF_ERROR(session.run(text(order, "code")));
      held_.push_back(std::move(session));
    }
    array ids;
    for (const Session& session : held_) ids.emplace_back(session.sandbox());
    return object{{"sandboxes", std::move(ids)}};
  }

  Result<object> release() {
    for (Session& session : held_) RETURN_IF_ERROR(session.end(spawner_));
    held_.clear();
    return object{};
  }

  bench::Cove cove_;
  engine::SpawnerClient spawner_;
  std::optional<Session> kept_;
  std::vector<Session> held_;
};

Result<> serve(const std::string& state, const std::string& template_name) {
  ASSIGN_OR_RETURN(auto cove, bench::Cove::find(state, template_name));
  ASSIGN_OR_RETURN(auto spawner, cove.connect());
  Watch watch(std::move(cove), std::move(spawner));
  std::string line;
  while (std::getline(std::cin, line)) {
    auto answer = watch.follow(boost::json::parse(line).as_object());
    if (!answer) answer = object{{"error", answer.error().message}};
    std::cout << boost::json::serialize(*answer) << std::endl;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::string state;
  std::string template_name = "python";
  CLI::App app{"Measures contexts: orders on stdin, answers on stdout (bench/contexts.py)."};
  app.add_option("--state", state, "State directory of the instance to measure")->required();
  app.add_option("--template", template_name, "Name of the template")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto done = serve(state, template_name);
  if (done) return 0;
  std::fprintf(stderr, "contexts_bench: %s\n", done.error().message.c_str());
  return 1;
}
