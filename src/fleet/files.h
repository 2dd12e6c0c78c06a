#pragma once

#include "engine/served_file_call.h"
#include "fleet/sandbox.h"

// File calls of a live sandbox, for tasks. Paths are absolute and are resolved inside. A call that is dropped
// before its end is cancelled; of a file that was to be written nothing is left then. Every wait has a
// deadline: past it the call is cancelled, and the error is kTimeout. The sandbox is not idle meanwhile.
namespace fleet {

// One call that goes on while others do. The base of those below.
class FileStream {
 public:
  FileStream(FileStream&&) noexcept = default;
  FileStream& operator=(FileStream&&) noexcept;
  ~FileStream();

 protected:
  FileStream(SandboxPtr sandbox, std::shared_ptr<engine::ServedFileCall> call, std::shared_ptr<io::Bell> bell);
  static Result<FileStream> begin(SandboxPtr sandbox, const wire::file::Request& request);
  // The next thing that comes out; none: the call has ended well.
  io::Task<std::optional<wire::file::Event>> next_event(io::Deadline until);
  io::Task<wire::file::Done> end(io::Deadline until);

  SandboxPtr sandbox_;
  std::shared_ptr<engine::ServedFileCall> call_;
  std::shared_ptr<io::Bell> bell_;
  friend class FileCalls;
};

// Bytes out of the sandbox.
class FileSource : public FileStream {
 public:
  using FileStream::FileStream;
  // Of a file that is read: what it was when it was opened.
  const wire::file::Entry& entry() const { return entry_; }
  // The next piece; empty at the end.
  io::Task<std::string> next(io::Deadline until);

 private:
  friend io::Task<FileSource> read(SandboxPtr, wire::file::Read, io::Deadline);
  friend io::Task<FileSource> pack(SandboxPtr, wire::file::Pack);
  wire::file::Entry entry_;
};

// Bytes into the sandbox.
class FileSink : public FileStream {
 public:
  using FileStream::FileStream;
  // Returns when all of it is on its way.
  io::Task<> put(std::string bytes, io::Deadline until);
  // Everything has been put: returns when it is in place.
  io::Task<wire::file::Done> finish(io::Deadline until);
};

class FileWatch : public FileStream {
 public:
  using FileStream::FileStream;
  // The first is kWatching. kNotFound: the directory has gone. kTimeout is not the end of this one.
  io::Task<wire::file::Changed> next(io::Deadline until);
};

io::Task<wire::file::Entry> stat(SandboxPtr sandbox, wire::file::Stat request, io::Deadline until);
// At most 64 MiB of entries; what is longer is asked for in pages.
io::Task<std::vector<wire::file::Entry>> list(SandboxPtr sandbox, wire::file::List request, io::Deadline until);
io::Task<std::vector<wire::file::Attribute>> attributes(SandboxPtr sandbox, std::string path, io::Deadline until);
// MakeDirectory, Move, Remove, SetMode, MakeSymlink, SetAttribute, RemoveAttribute.
io::Task<wire::file::Done> change(SandboxPtr sandbox, wire::file::Request request, io::Deadline until);
// Returns when the file is open, with its entry.
io::Task<FileSource> read(SandboxPtr sandbox, wire::file::Read request, io::Deadline until);
io::Task<FileSource> pack(SandboxPtr sandbox, wire::file::Pack request);
Result<FileSink> write(SandboxPtr sandbox, const wire::file::Write& request);
Result<FileSink> unpack(SandboxPtr sandbox, const wire::file::Unpack& request);
Result<FileWatch> watch(SandboxPtr sandbox, const wire::file::Watch& request);

}  // namespace fleet
