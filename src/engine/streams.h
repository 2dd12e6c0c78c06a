#pragma once

#include <deque>
#include <map>
#include <memory>

#include "engine/sandbox.h"
#include "wire/file_messages.h"

namespace engine {

// Whoever has a stream of a sandbox's connection.
class StreamListener {
 public:
  virtual ~StreamListener() = default;
  // After an Ended, or a Failed instead of a Started, nothing comes: the stream is closed already. A listener
  // may open and close streams, its own too.
  virtual void hear(const wire::init::Event& event) = 0;
  // Of a file call, the frame of which had this size; nothing comes after a Done.
  virtual void hear_file(wire::file::Event&& /*event*/, std::size_t /*size*/) {}
  // The connection has ended, and this stream with it.
  virtual void cut(const base::Error& /*why*/) {}
};

// The streams of a sandbox's connection, for a caller that waits for many things at once: nothing here
// blocks. It calls pump(), because something may have come already, and again whenever fd() is ready for
// wanted_events(), which whatever is sent may change. As long as there is one, the calls of Sandbox, Context,
// Processes and Files that wait by themselves are not to be used: they take each other's messages. Used by
// one thread; the sandbox outlives it.
//
// What comes is hostile. A stream that nobody has is not listened to, and a connection that breaks the
// protocol is over. What a listener has been told is acknowledged, so each stream has a window of its own,
// and one that floods delays another by at most that; a listener that is slow delays all.
class Streams {
 public:
  explicit Streams(Sandbox& sandbox) : sandbox_(sandbox) {}
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  const std::string& sandbox() const { return sandbox_.id(); }
  int fd() const;
  short wanted_events() const;
  // Why there is nothing more to be had, once that is so.
  const std::optional<base::Error>& end() const { return end_; }
  // Whether more should be sent now. What is sent without room is bounded all the same.
  bool has_room() const { return unsent_ < kRoom; }

  std::uint32_t open(std::shared_ptr<StreamListener> listener);
  void send(std::uint32_t stream, const wire::init::Request& request);
  void send(std::uint32_t stream, const wire::file::Request& request);
  // Nobody listens any more; what runs there goes on.
  void close(std::uint32_t stream);
  // Nobody listens any more, and what runs there is killed.
  void kill(std::uint32_t stream);

  // Sends and takes in what is possible now. An error is the end; again and again.
  Result<> pump();
  // The end, from this side: every listener is told that its stream is cut. Not while it pumps.
  void hang_up(base::Error why);

 private:
  static constexpr std::size_t kRoom = 4 << 20;
  static constexpr std::size_t kMostUnsent = 16 << 20;

  struct Stream {
    std::shared_ptr<StreamListener> listener;  // none: to be heard to its end
    bool has_started = false;
  };

  void flush();
  void queue(std::string frame);
  Result<> exchange_messages();
  Result<> give_out();
  void deliver(const Sandbox::Message& message);
  Result<> deliver_file(const wire::Frame& frame);

  Sandbox& sandbox_;
  std::map<std::uint32_t, Stream> streams_;
  std::deque<std::string> outgoing_;
  std::size_t sent_ = 0;  // of the first
  std::size_t unsent_ = 0;
  bool is_deaf_ = false;  // the other side takes nothing more
  bool is_pumping_ = false;
  std::optional<base::Error> end_;
};

}  // namespace engine
