#pragma once

#include <functional>

#include "engine/streams.h"
#include "wire/file_messages.h"

namespace engine {

// One file call among many streams: nothing here blocks. What comes waits here, within the window, until it
// is taken, and what answers is not believed: it may say anything, but not more at a time than the window
// has. `on_news` is told whenever there may be something to take, room to give, or an end. The Streams
// outlive it.
class ServedFileCall : public StreamListener {
 private:
  struct Key {};

 public:
  using Done = wire::file::Done;

  // kInvalid: a worker would not take it.
  static Result<std::shared_ptr<ServedFileCall>> begin(Streams& streams, const wire::file::Request& request,
                                                       std::function<void()> on_news);
  // For begin() alone.
  ServedFileCall(Key, Streams& streams, std::function<void()> on_news)
      : streams_(streams), on_news_(std::move(on_news)) {}

  // The next of what came out: Entries, Opened, Bytes, Attribute, Changed.
  std::optional<wire::file::Event> take();
  // How it has ended, once it has; what came before may still wait to be taken.
  const std::optional<Result<Done>>& end() const { return end_; }

  // How many bytes may be given now.
  std::size_t room() const;
  // At most that many, and at most wire::kMaxChunk.
  void give(std::string bytes);
  void close_input();

  // Nobody wants it any more; it ends with this error unless it has ended.
  void cancel(base::Error why);

  void hear(const wire::init::Event& event) override;
  void hear_file(wire::file::Event&& event, std::size_t size) override;
  void cut(const base::Error& why) override;

 private:
  enum class Input { kNone, kOpen, kClosed };
  struct Waiting {
    wire::file::Event event;
    std::size_t size = 0;
  };

  void finish(Result<Done> end);

  Streams& streams_;
  std::uint32_t stream_ = 0;
  std::function<void()> on_news_;
  std::deque<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  Input input_ = Input::kNone;
  std::size_t under_way_ = 0;  // given and not taken
  std::optional<Result<Done>> end_;
};

}  // namespace engine
