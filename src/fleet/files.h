#pragma once

#include "engine/served_file_call.h"
#include "fleet/sandbox.h"

// File calls of a live sandbox, for tasks. Paths are absolute and are resolved inside. A call that is dropped
// before its end is cancelled; of a file that was to be written nothing is left then. Every wait has a
// deadline: past it the call is cancelled, and the error is kTimeout. The sandbox is not idle meanwhile.
namespace fleet {

// One call that goes on while others do: what those below have in common.
class FileStream {
 public:
  static Result<FileStream> begin(const SandboxPtr& sandbox, const wire::file::Request& request);
  FileStream(FileStream&&) noexcept = default;
  FileStream& operator=(FileStream&&) noexcept = default;
  ~FileStream() = default;

  // What a deadline that passes does to the call.
  enum class Late { kCancels, kMayAskAgain };
  // The next of what comes out; none: the call has ended well.
  io::Task<std::optional<wire::file::Event>> next_event(io::Deadline until, Late late);
  // Room for what goes in, at least a byte.
  io::Task<std::size_t> await_room(io::Deadline until);
  void give(std::string bytes);
  void close_input();
  // What comes out until then is left out.
  io::Task<wire::file::Done> end(io::Deadline until);

 private:
  // Cancels a call that nobody waits for any more.
  struct Open {
    Open(SandboxPtr of, std::shared_ptr<io::Bell> rung);
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    SandboxPtr sandbox;
    std::shared_ptr<io::Bell> bell;
    std::shared_ptr<engine::ServedFileCall> call;
  };
  explicit FileStream(std::unique_ptr<Open> open) : open_(std::move(open)) {}
  // For news.
  io::Task<> wait(io::Deadline until, Late late);

  std::unique_ptr<Open> open_;
};

// Bytes out of the sandbox.
class FileSource {
 public:
  explicit FileSource(FileStream stream, wire::file::Entry entry = {})
      : stream_(std::move(stream)), entry_(std::move(entry)) {}

  // Of a file that is read: what it was when it was opened.
  const wire::file::Entry& entry() const { return entry_; }
  // The next piece; empty at the end.
  io::Task<std::string> next(io::Deadline until);

 private:
  FileStream stream_;
  wire::file::Entry entry_;
};

// Bytes into the sandbox.
class FileSink {
 public:
  explicit FileSink(FileStream stream) : stream_(std::move(stream)) {}

  // Returns when all of it is on its way.
  io::Task<> put(std::string bytes, io::Deadline until);
  // Everything has been put: returns when it is in place.
  io::Task<wire::file::Done> finish(io::Deadline until);

 private:
  FileStream stream_;
};

// Changes in a directory.
class FileWatch {
 public:
  explicit FileWatch(FileStream stream) : stream_(std::move(stream)) {}

  // The first is kWatching; none: the directory has gone. kTimeout is not the end: it may be asked again.
  io::Task<std::optional<wire::file::Changed>> next(io::Deadline until);

 private:
  FileStream stream_;
};

io::Task<wire::file::Entry> stat(SandboxPtr sandbox, wire::file::Stat request, io::Deadline until);
// kExhausted: more than 64 MiB of entries; they are asked for in pages.
io::Task<std::vector<wire::file::Entry>> list(SandboxPtr sandbox, wire::file::List request,
                                              io::Deadline until);
io::Task<std::vector<wire::file::Attribute>> attributes(SandboxPtr sandbox, std::string path,
                                                        io::Deadline until);
// MakeDirectory, Move, Remove, SetMode, MakeSymlink, SetAttribute, RemoveAttribute.
io::Task<wire::file::Done> change(SandboxPtr sandbox, wire::file::Request request, io::Deadline until);

// Returns when the file is open, with its entry.
io::Task<FileSource> read(SandboxPtr sandbox, wire::file::Read request, io::Deadline until);
Result<FileSource> pack(const SandboxPtr& sandbox, const wire::file::Pack& request);
Result<FileSink> write(const SandboxPtr& sandbox, const wire::file::Write& request);
Result<FileSink> unpack(const SandboxPtr& sandbox, const wire::file::Unpack& request);
Result<FileWatch> watch(const SandboxPtr& sandbox, const wire::file::Watch& request);

}  // namespace fleet
