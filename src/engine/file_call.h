#pragma once

#include "engine/sandbox.h"
#include "wire/file_messages.h"

namespace engine {

// Whoever watches a file call: takes what comes out of the sandbox, and may have something to put in.
class FileObserver {
 public:
  virtual ~FileObserver() = default;
  // An error cancels the call, and is its result.
  virtual Result<> entry(const wire::file::Entry&) { return {}; }
  virtual Result<> opened(const wire::file::Entry&) { return {}; }
  virtual Result<> bytes(std::string_view) { return {}; }
  virtual Result<> attribute(const wire::file::Attribute&) { return {}; }
  virtual Result<> changed(const wire::file::Changed&) { return {}; }
  // What to wait on beside the sandbox, -1 for none: readable when the call is to be cancelled.
  virtual int interrupt_fd() const { return -1; }
  // The next piece of what is to be written, of at most `most` bytes; empty at its end.
  virtual Result<std::string> next_piece(std::size_t /*most*/) { return std::string(); }
};

// One file call, from its request to its end. What answers is not believed: it may say anything, but not more
// at a time than the window has.
class FileCall {
 public:
  FileCall(Sandbox& sandbox, FileObserver& observer)
      : sandbox_(sandbox), observer_(observer), stream_(sandbox.take_stream()) {}

  Result<wire::file::Done> run(const wire::file::Request& request);

 private:
  enum class Input { kNone, kOpen, kClosed };

  // The next frame of this call's stream.
  Result<wire::Frame> next();
  Result<> put_in();
  Result<std::optional<wire::file::Done>> handle(const wire::file::Event& event);
  Result<> tell(const wire::file::Event& event);
  std::unexpected<base::Error> cancel(base::Error why);

  Sandbox& sandbox_;
  FileObserver& observer_;
  const std::uint32_t stream_;
  Input input_ = Input::kNone;
  std::size_t under_way_ = 0;  // sent and not taken
};

}  // namespace engine
