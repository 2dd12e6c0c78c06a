// init: pid 1 of a sandbox. It starts processes for the engine, many at a time, each in a leaf of its own;
// enforces their deadlines by itself, so that a stalled engine stops no timeout; reaps whatever is orphaned;
// and tells how each run ended, why, and what it cost. It runs under its own id with three capabilities. When
// the engine's connection ends, so does the sandbox, unless it was told to stay: then everything goes on, and
// what there is to tell is kept for the next engine.
#pragma once

#include <map>
#include <optional>

#include "init/channel.h"
#include "init/context.h"
#include "init/door.h"
#include "init/file_calls.h"
#include "init/guest.h"
#include "init/reception.h"
#include "init/run.h"

namespace init {

struct Wiring {
  int listener = -1;
  int cgroup = -1;
  GaugeFds gauges;
  int process_filter = -1;  // what a context that comes from a zygote is put under
  int leash = -1;           // as long as it does not hang up, nobody has been given this sandbox
};

class Supervisor {
 public:
  Supervisor(Wiring wiring, LaunchPolicy policy);

  // Returns when the sandbox has no reason to live any more. The engine is told of an error that is one.
  Result<> run();

 private:
  // v1 announces that memory is out before it kills and counts, so the count is looked at for this long.
  static constexpr std::chrono::seconds kMemoryNews{1};
  static constexpr std::size_t kMostProcesses = 256;

  Result<> serve();
  Result<Channel> await_engine();
  Result<bool> turn();
  // Sends what is to be told, and forgets who has nothing more to tell.
  Result<> flush();
  void forget_told();
  Result<> serve_requests();
  // What the engine asks. False: it has gone, and the sandbox goes with it.
  Result<bool> serve_engine();
  void greet();
  void lose_engine();
  void admit();
  Outbox* outbox_of(std::uint32_t stream);
  Result<> attach(std::uint32_t stream, const wire::init::Attach& attach);
  // Whether there may be another process, and on this stream.
  Result<> make_place(std::uint32_t stream);
  std::size_t live() const;
  void note_company();
  Result<> start(std::uint32_t stream, const wire::init::Start& start);
  Result<> start(std::uint32_t stream, const wire::init::StartContext& start);
  Result<> execute(std::uint32_t stream, const wire::init::Execute& execute);
  Result<> handle(std::uint32_t stream, const wire::init::Request& request);
  Result<> handle_one(std::uint32_t stream, const wire::init::Start& start);
  Result<> handle_one(std::uint32_t stream, const wire::init::Input& input);
  Result<> handle_one(std::uint32_t stream, const wire::init::Signal& signal);
  Result<> handle_one(std::uint32_t stream, const wire::init::PutFile& file);
  Result<> handle_one(std::uint32_t stream, const wire::init::StartContext& start);
  Result<> handle_one(std::uint32_t stream, const wire::init::Execute& execute);
  Result<> handle_one(std::uint32_t stream, const wire::init::ExpectContext& context);
  Result<> expect(std::uint32_t stream, const wire::init::ExpectContext& context);
  // Contexts that have come from a zygote.
  void answer_door();
  void take_in(std::uint32_t stream, Launched launched);
  Result<> handle_one(std::uint32_t stream, const wire::init::Acknowledge& seen);
  Result<> handle_one(std::uint32_t stream, const wire::init::Stay& stay);
  Result<> handle_one(std::uint32_t stream, const wire::init::List& list);
  Result<> handle_one(std::uint32_t stream, const wire::init::Attach& attach);
  Result<> handle_one(std::uint32_t stream, const wire::init::Resize& resize);
  Result<> handle_one(std::uint32_t stream, const wire::init::AskUsed& ask);
  void fail(std::uint32_t stream, const base::Error& error);
  Result<> tell_failure(std::uint32_t stream, const Result<>& begun);
  Result<> reap();
  // False: it was an orphan's.
  Result<bool> finish_run(const sys::Reaped& reaped);
  Result<bool> finish_context(const sys::Reaped& reaped);
  void look_at_memory();
  int poll_timeout();

  const Wiring wiring_;
  Launcher launcher_;
  Gauges gauges_;
  sys::UniqueFd children_;  // signalfd
  std::optional<Channel> channel_;
  std::map<std::uint32_t, Run> runs_;  // by stream
  std::map<std::uint32_t, Context> contexts_;
  Reception reception_;
  FileCalls files_;
  std::uint32_t last_stream_ = 0;
  bool stays_ = false;
  std::optional<Clock::time_point> look_at_memory_until_;
};

}  // namespace init
