// Watches an execution in one of many contexts, and remembers what it was told.
#pragma once

#include <boost/json/serialize.hpp>
#include <functional>

#include "engine/execution_observer.h"

namespace engine::test {

class ExecutionWatcher : public ExecutionObserver {
 public:
  // `log` is of several watchers: who has begun and ended, in order.
  explicit ExecutionWatcher(std::string name = "", std::vector<std::string>* log = nullptr)
      : name_(std::move(name)), log_(log) {}

  void started(const ExecutionId&) override {
    has_started = true;
    note("begins");
  }
  Result<> output(wire::init::Channel channel, std::string_view bytes) override {
    written += bytes.size();
    if (text.size() < kMostText) text += bytes;
    told.push_back((channel == wire::init::Channel::kStdout ? "out:" : "err:") +
                   std::string(bytes.substr(0, 80)));
    return heard();
  }
  Result<> event(const Bundle& bundle) override {
    told.push_back(boost::json::serialize(bundle.head()));
    return heard();
  }
  void ended(const Ending& with) override {
    ending = with;
    ++ends;
    note("ends");
  }

  bool is_over() const { return ends > 0; }
  base::Cause cause() const { return ending.outcome.cause; }
  int notices() const {
    return static_cast<int>(std::ranges::count_if(
        told, [](const std::string& one) { return one.find("its state is gone") != std::string::npos; }));
  }

  std::vector<std::string> told;
  std::string text;  // what was written, at most so much
  std::size_t written = 0;
  bool has_started = false;
  int ends = 0;
  Ending ending;
  std::function<Result<>()> on_hearing;  // what it does and answers when it is told something

 private:
  static constexpr std::size_t kMostText = 1 << 20;

  Result<> heard() { return on_hearing ? on_hearing() : Result<>(); }
  void note(const std::string& what) {
    if (log_ != nullptr) log_->push_back(name_ + " " + what);
  }

  std::string name_;
  std::vector<std::string>* log_;
};

}  // namespace engine::test
