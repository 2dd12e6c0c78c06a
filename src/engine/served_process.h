#pragma once

#include "engine/execution_observer.h"
#include "engine/streams.h"

namespace engine {

// One process among many streams: nothing here blocks. Its observer is told of its start, its output and,
// once, of its end. init enforces the deadline; one that does not is not waited for. Whoever owns it calls
// keep_time() when deadline() has come. The Streams outlive it.
class ServedProcess : public StreamListener {
 private:
  struct Key {};

 public:
  using Clock = std::chrono::steady_clock;

  struct Watched {
    ExecutionId id = ExecutionId::random();  // that the observer is told
    std::shared_ptr<ExecutionObserver> observer;
  };

  // kInvalid: init would not take it. One that cannot be started ends with the reason, later.
  static Result<std::shared_ptr<ServedProcess>> start(Streams& streams, const Command& command,
                                                      Watched watched);
  // For start() alone.
  ServedProcess(Key, Streams& streams, const Command& command, Watched watched);

  std::optional<std::uint32_t> pid() const { return pid_; }
  bool is_over() const { return observer_ == nullptr; }
  // It was started with one, and nobody has closed it.
  bool has_input() const { return !is_over() && input_open_; }
  // How much may be given now; the observer hears input_taken() when that grows.
  std::size_t input_room() const;
  // At most that much. Empty: the end.
  void give_input(std::string bytes);
  void signal(int number);
  void resize(wire::init::Window window);
  // Asked to end, and killed after its grace. Ends as cancelled, unless it ends well or for another reason.
  void cancel();

  std::optional<Clock::time_point> deadline() const { return timer_; }
  void keep_time(Clock::time_point now);

  void hear(const wire::init::Event& event) override;
  void cut(const base::Error& why) override;

 private:
  // After timeout and grace, when init has not done its part.
  static constexpr std::chrono::milliseconds kSlack{10'000};
  // What one that was killed may take to be gone.
  static constexpr std::chrono::milliseconds kLastWords{5'000};

  Outcome judged(Outcome outcome) const;
  void finish(const Ending& ending);

  Streams& streams_;
  std::uint32_t stream_ = 0;
  const ExecutionId id_;
  const std::chrono::milliseconds timeout_;
  const std::chrono::milliseconds grace_;
  const bool has_terminal_;
  std::shared_ptr<ExecutionObserver> observer_;
  std::optional<std::uint32_t> pid_;
  std::size_t input_under_way_ = 0;
  bool input_open_ = false;
  bool is_cancelled_ = false;
  bool is_killed_ = false;
  std::optional<Clock::time_point> timer_;
};

}  // namespace engine
