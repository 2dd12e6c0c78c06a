#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/cause.h"
#include "base/error.h"
#include "wire/frame.h"
#include "wire/runtime_messages.h"

// Messages on the control socket of a sandbox: the engine's side asks, init answers. One frame each.
namespace wire::init {

constexpr std::uint32_t kVersion = 4;

// The stream of what concerns no request: Hello, and the Failed of an init that ends.
constexpr std::uint32_t kConnection = 0;

constexpr std::size_t kMaxStrings = 16'384;    // argv and environment entries
constexpr std::size_t kMaxString = 128 << 10;  // the kernel's own limit for one argument
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxMessage = 4096;
constexpr std::size_t kMaxFileBytes = 3 << 20;
constexpr std::size_t kMaxExecution = 3 << 20;   // code and input of an execution
constexpr std::size_t kMaxListedArguments = 32;  // of a process in a list, each cut
constexpr std::size_t kMaxListedArgument = 256;
constexpr std::size_t kMaxListed = 512;  // processes and contexts, with those whose end nobody acknowledged
constexpr std::size_t kInputWindow = 256 << 10;
// What is kept of a stream until the engine has acknowledged it; then its producer waits, and nobody else's.
constexpr std::size_t kOutputWindow = 256 << 10;

enum class User : std::uint8_t { kUser = 0, kRoot = 1 };
enum class Stdin : std::uint8_t { kClosed = 0, kStream = 1 };

// Of a terminal.
struct Window {
  std::uint16_t rows = 24;
  std::uint16_t columns = 80;
};

// engine → init
struct Start {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string cwd;
  User user = User::kUser;
  Stdin input = Stdin::kClosed;
  std::uint64_t deadline_ms = 0;  // 0: none
  std::uint64_t grace_ms = 0;     // between TERM and KILL of the leaf
  std::uint64_t output_cap = 0;   // bytes of stdout and stderr together that are kept
  // With a terminal there is one channel of output, stdout; input is a stream, and its end the character for
  // that.
  std::optional<Window> terminal = std::nullopt;
};
struct Input {
  std::string bytes;  // empty: end of input
};
struct Signal {
  std::uint32_t number = 0;
};
// Writes a small file as the sandbox's user; parent directories must exist.
struct PutFile {
  std::string path;
  std::uint32_t mode = 0644;
  std::string bytes;
};
// Starts the runtime of a context: a process that keeps state, and gets executions one after another.
struct StartContext {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string cwd;
  User user = User::kUser;
};
// On the stream of a context, one at a time. init passes the payload on as it is.
struct Execute {
  std::uint32_t number = 0;
  std::uint64_t deadline_ms = 0;  // 0: none
  std::uint64_t grace_ms = 0;     // between the interrupt and the end of the context
  std::uint64_t output_cap = 0;
  std::string payload;
};
// A context whose process comes from outside, from the template's zygote: it knocks with the number of this
// stream. Answered by Done, and by Started when it has come.
struct ExpectContext {
  std::vector<std::string> environment;
  std::string cwd;
};
// Of a stream, the kept events up to this one, counted from 1, are the engine's now: init lets go of them.
// A process or context whose end is among them is forgotten.
struct Acknowledge {
  std::uint64_t number = 0;
};
// From now on the sandbox outlives its connection: what it would tell waits for the next one.
struct Stay {};
// What there is: a Found on the stream of each, then Done on the stream of this request.
struct List {};
// Everything kept of this stream after that event is sent, from the beginning and from then on, after a
// Found.
struct Attach {
  std::uint64_t after = 0;
};
// Of a process's terminal. Without one it means nothing.
struct Resize {
  Window window;
};
// How much CPU the sandbox has used: answered by Used.
struct AskUsed {};
using Request = std::variant<Start, Input, Signal, PutFile, StartContext, Execute, Acknowledge, Stay, List,
                             Attach, Resize, ExpectContext, AskUsed>;

// init → engine
constexpr std::uint32_t kLastStream = 0x7fff'ffff;
struct Hello {
  std::uint32_t version = kVersion;
  std::uint32_t last_stream = 0;  // that had a process: a new one takes a larger number
};
struct Started {
  std::uint32_t pid = 0;  // inside the sandbox
};
enum class Channel : std::uint8_t { kStdout = 1, kStderr = 2 };
struct Output {
  Channel channel = Channel::kStdout;
  std::uint64_t offset = 0;  // of the first byte in this channel
  std::string bytes;
};
struct Usage {
  std::uint64_t wall_us = 0;
  std::uint64_t cpu_us = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::uint64_t stdout_bytes = 0;
  std::uint64_t stderr_bytes = 0;
  std::uint64_t dropped_bytes = 0;  // past the output cap
};
struct Ended {
  base::Cause cause = base::Cause::kOk;
  std::uint32_t exit_code = 0;
  std::uint32_t signal = 0;
  std::uint32_t limits_hit = 0;  // bits of base::Limit
  Usage usage;
};
// A request that could not be carried out: which step, and why.
struct Failed {
  std::uint32_t code = 0;  // base::Code
  std::int32_t sys_errno = 0;
  std::string message;
};
struct Done {};  // a PutFile or an ExpectContext that succeeded
// This much of the input has reached the process: the engine keeps at most kInputWindow on the way.
struct InputTaken {
  std::uint32_t bytes = 0;
};
// A piece of what the runtime of a context says.
struct Said {
  runtime::Piece piece;
};
// What was written in a context, by whoever, during this execution or after it.
struct Wrote {
  std::uint32_t execution = 0;
  Output output;
};
struct Executed {
  std::uint32_t execution = 0;
  Ended end;
};
enum class Kind : std::uint8_t { kRun = 0, kContext = 1 };
enum class State : std::uint8_t { kIdle = 0, kBusy = 1, kEnded = 2 };  // a run is busy until its end
struct Found {
  Kind kind = Kind::kRun;
  State state = State::kBusy;
  std::uint32_t pid = 0;
  std::uint64_t started_us = 0;    // since the epoch
  std::vector<std::string> argv;   // its beginning
  std::uint32_t execution = 0;     // of a context: the last one
  std::uint64_t acknowledged = 0;  // events; those after it are kept
  std::uint64_t last = 0;          // event so far
  std::uint64_t stdout_bytes = 0;  // written so far, by the last execution
  std::uint64_t stderr_bytes = 0;
  std::uint64_t input_received = 0;
  std::uint64_t input_taken = 0;  // of that, by the process
};
// Since it was made, by all that has ever run in it.
struct Used {
  std::uint64_t cpu_us = 0;
};
using Event =
    std::variant<Hello, Started, Output, Ended, Failed, Done, InputTaken, Said, Wrote, Executed, Found, Used>;

// Output, pieces, and ends are kept until acknowledged.
bool is_kept(const Event& event);
// What a kept event takes of the window. Both sides count by it, so neither waits for the other in vain.
std::size_t cost_of(const Event& event);

std::string encode(std::uint32_t stream, const Request& request);
std::string encode(std::uint32_t stream, const Event& event);
base::Result<Request> decode_request(const Frame& frame);
base::Result<Event> decode_event(const Frame& frame);

// Whether init would take this request; what it does not take, it answers by hanging up.
base::Result<> check(const Start& start);
base::Result<> check(const StartContext& start);
base::Result<> check(const ExpectContext& context);

}  // namespace wire::init
