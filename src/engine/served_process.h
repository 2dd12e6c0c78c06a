#pragma once

#include "engine/execution_observer.h"
#include "engine/streams.h"

namespace engine {

// One process among many streams: nothing here blocks. Its observer is told of its start, its output and,
// once, of its end. init enforces the deadline; one that does not is not waited for. The Streams outlive it,
// and so does whoever calls keep_time() when deadline() has come.
class ServedProcess : public StreamListener, public std::enable_shared_from_this<ServedProcess> {
 public:
  using Clock = std::chrono::steady_clock;
  struct Limits {
    std::chrono::milliseconds slack{10'000};      // after timeout and grace, when init has not done its part
    std::chrono::milliseconds last_words{5'000};  // what one that was killed may take to be gone
  };

  // kInvalid: init would not take it.
  static Result<std::shared_ptr<ServedProcess>> start(Streams& streams, const Command& command, ExecutionId id,
                                                      std::shared_ptr<ExecutionObserver> observer);

  std::optional<std::uint32_t> pid() const { return pid_; }
  bool is_over() const { return observer_ == nullptr; }
  // How much input may be sent now; the observer hears input_taken() when that grows. 0 after its end.
  std::size_t input_room() const;
  // At most that much. Empty: the end.
  void give_input(std::string bytes);
  void signal(int number);
  void resize(wire::init::Window window);
  // Asked to end, and killed after its grace. Ends as cancelled, unless it ends well or for another reason.
  void cancel();

  std::optional<Clock::time_point> deadline() const;
  void keep_time(Clock::time_point now);

  void hear(const wire::init::Event& event) override;
  void cut(const base::Error& why) override;

 private:
  struct Key {};

 public:
  ServedProcess(Key, Streams& streams, const Command& command, std::shared_ptr<ExecutionObserver> observer);

 private:
  void hear_output(const wire::init::Output& output);
  void finish(Ending ending);

  Streams& streams_;
  std::uint32_t stream_ = 0;
  const std::chrono::milliseconds timeout_;
  const std::chrono::milliseconds grace_;
  std::shared_ptr<ExecutionObserver> observer_;
  ExecutionId id_ = ExecutionId::random();
  std::optional<std::uint32_t> pid_;
  std::size_t input_under_way_ = 0;
  bool input_open_ = false;
  bool is_cancelled_ = false;
  bool is_overdue_ = false;
  bool is_killed_ = false;
  std::optional<Clock::time_point> timer_;
};

}  // namespace engine
