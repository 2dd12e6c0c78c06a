// The engine in the hands of a test: makes sandboxes and contexts and runs cells, as a line of JSON on stdin
// says, and answers each with a line of JSON.
//   {"do": "sandbox", "template": digest, …}   → {"sandbox": number, "id": name}
//   {"do": "enter" | "enter if ready" | "start", "sandbox": number}  → {"context": number, "us": microseconds
//   until it is ready}
//   {"do": "run", "context": number, "code": text}  → {"cause", "out", "err", "events"}
//   {"do": "command", "sandbox": number, "argv": […]}  → {"cause", "out", "err"}
//   {"do": "warm", "template": digest}, {"do": "end", "sandbox": number}, {"do": "reconnect"}  → {}
// What fails is {"error": message, "code": name}.
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <map>

#include "engine/context.h"

namespace {

using base::Result;
using boost::json::array;
using boost::json::object;
using boost::json::value;
using wire::init::Channel;

class Notes : public engine::CellObserver, public engine::RunObserver {
 public:
  Result<> output(Channel channel, std::string_view bytes) override {
    (channel == Channel::kStdout ? out : err) += bytes;
    return {};
  }
  Result<> event(const engine::Bundle& bundle) override {
    events.push_back(bundle.head());
    return {};
  }
  int interrupt_fd() const override { return -1; }

  std::string out;
  std::string err;
  array events;
};

class Visitor {
 public:
  Visitor(engine::SpawnerClient& spawner, const base::Paths& paths) : spawner_(spawner), paths_(paths) {}

  Result<object> obey(const object& order) {
    const std::string what(order.at("do").as_string());
    if (what == "sandbox") return make_sandbox(order);
    if (what == "enter" || what == "enter if ready" || what == "start") return make_context(order, what);
    if (what == "run") return run(order);
    if (what == "command") return command(order);
    if (what == "warm") return warm(order);
    if (what == "end") return end(order);
    if (what == "reconnect") return reconnect();
    return base::fail(base::Code::kInvalid, "what is " + what + "?");
  }

 private:
  static std::uint32_t number(const object& order, const char* key, std::uint32_t otherwise) {
    return order.contains(key) ? static_cast<std::uint32_t>(order.at(key).as_int64()) : otherwise;
  }
  engine::Sandbox& sandbox_of(const object& order) { return sandboxes_.at(number(order, "sandbox", 0)); }

  Result<object> make_sandbox(const object& order) {
    engine::SandboxOptions options{
        .root = std::string(order.at("template").as_string()),
        .mode = order.contains("root") ? wire::spawner::Mode::kRoot : wire::spawner::Mode::kUser,
        .max_pids = number(order, "pids", 256),
        .furniture = order.contains("furnished") ? wire::spawner::Furniture::kPythonContext
                                                 : wire::spawner::Furniture::kNone};
    ASSIGN_OR_RETURN(auto made, engine::Sandbox::create(spawner_, options));
    environment_ = engine::base_environment(wire::init::User::kUser, options);
    object answer{{"sandbox", ++last_}, {"id", made.id()}};
    sandboxes_.emplace(last_, std::move(made));
    return answer;
  }

  Result<object> make_context(const object& order, const std::string& how) {
    engine::ContextOptions options{.argv = {"python3", "/usr/lib/cove/runtimes/python/start.py"},
                                   .environment = environment_};
    if (order.contains("padding")) {
      options.environment.push_back("PADDING=" + std::string(number(order, "padding", 0), 'x'));
    }
    if (how == "enter") options.birth = engine::Birth::kZygote;
    if (how == "enter if ready") options.birth = engine::Birth::kZygoteIfReady;
    const auto begin = std::chrono::steady_clock::now();
    auto made = engine::Context::start(sandbox_of(order), spawner_, options);
    if (!made) return std::unexpected(std::move(made).error());
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    contexts_.emplace(++last_, *std::move(made));
    return object{{"context", last_}, {"us", took.count()}};
  }

  Result<object> run(const object& order) {
    Notes notes;
    engine::Context& context = contexts_.at(number(order, "context", 0));
    const engine::Cell cell{.code = std::string(order.at("code").as_string()),
                            .timeout = std::chrono::seconds(60)};
    ASSIGN_OR_RETURN(const auto outcome, context.execute(cell, notes));
    return object{{"cause", base::name_of(outcome.cause)},
                  {"out", notes.out},
                  {"err", notes.err},
                  {"events", notes.events}};
  }

  Result<object> command(const object& order) {
    Notes notes;
    engine::Command command{.argv = {}, .environment = environment_};
    for (const value& word : order.at("argv").as_array()) command.argv.emplace_back(word.as_string());
    ASSIGN_OR_RETURN(const auto outcome, sandbox_of(order).run(command, notes));
    return object{{"cause", base::name_of(outcome.cause)}, {"out", notes.out}, {"err", notes.err}};
  }

  Result<object> warm(const object& order) {
    wire::spawner::Warm request;
    request.digest.set(std::string_view(order.at("template").as_string()));
    RETURN_IF_ERROR(spawner_.call(request));
    return object{};
  }

  Result<object> reconnect() {
    ASSIGN_OR_RETURN(spawner_, engine::SpawnerClient::connect(paths_));
    return object{};
  }

  Result<object> end(const object& order) {
    RETURN_IF_ERROR(sandbox_of(order).destroy(spawner_));
    sandboxes_.erase(number(order, "sandbox", 0));
    return object{};
  }

  engine::SpawnerClient& spawner_;
  const base::Paths& paths_;
  std::uint32_t last_ = 0;
  std::map<std::uint32_t, engine::Sandbox> sandboxes_;
  std::map<std::uint32_t, engine::Context> contexts_;
  std::vector<std::string> environment_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto paths = base::Paths::of(argv[1]);
  auto spawner = engine::SpawnerClient::connect(paths);
  if (!spawner) {
    std::cerr << spawner.error().message << "\n";
    return 1;
  }
  Visitor visitor(*spawner, paths);
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = visitor.obey(boost::json::parse(line).as_object());
    const object told =
        answer ? *answer
               : object{{"error", answer.error().message}, {"code", base::name_of(answer.error().code)}};
    std::cout << boost::json::serialize(told) << std::endl;
  }
  return 0;
}
