#pragma once

#include <poll.h>

#include <optional>

#include "init/launch.h"
#include "wire/frame.h"

namespace init {

// A process in a leaf of its own that has become the sandbox's user and serves file calls, one at a time. It
// is forked from init and executes nothing. Code of the same user may kill or stop it, and is then told so;
// what it says is believed by nobody.
class FileWorker {
 public:
  static Result<FileWorker> start(const LaunchPolicy& policy, Leaf leaf);

  pid_t pid() const { return process_.pid; }
  // The call it serves.
  std::optional<std::uint32_t> stream() const { return stream_; }
  bool is_idle() const { return !stream_ && socket_; }

  void add_polls(std::vector<pollfd>& polls, bool room_for_answers) const;
  // Gives it the call that this frame opens, or what belongs to it. kExhausted: it takes nothing any more.
  Result<> open(std::uint32_t stream, const wire::Frame& frame);
  Result<> pass(const wire::Frame& frame);
  // Writes what it takes.
  void flush();
  // What it has to say about its call: a frame for the engine, or nothing for now. An error: it does not keep
  // to the protocol.
  Result<std::optional<wire::Frame>> next();
  // Somebody stopped it: it would keep its caller waiting for ever.
  bool is_stopped() const;
  void kill() const;
  // It has nothing to do, and ends.
  void retire() { socket_.reset(); }
  // When it has ended.
  void remove() { (void)leaf_.remove(); }

 private:
  FileWorker(sys::Clone process, Leaf leaf, sys::UniqueFd socket)
      : process_(std::move(process)), leaf_(std::move(leaf)), socket_(std::move(socket)) {}
  Result<> check(const wire::Frame& frame);

  sys::Clone process_;
  Leaf leaf_;
  sys::UniqueFd socket_;
  wire::FrameReader incoming_;
  std::string pending_;
  std::optional<std::uint32_t> stream_;
};

}  // namespace init
