#include "fleet/files.h"

namespace fleet {

namespace {

using base::Code;
using wire::file::Done;
using wire::file::Entry;

constexpr std::size_t kMostListed = 64 << 20;

std::unexpected<base::Error> unexpected_answer() {
  return base::fail(Code::kInternal, "unexpected answer to a file call");
}

}  // namespace

FileStream::Open::Open(SandboxPtr of, std::shared_ptr<io::Bell> rung)
    : sandbox(std::move(of)), bell(std::move(rung)) {
  ++sandbox->file_calls_;
}

FileStream::Open::~Open() {
  if (call) call->cancel({Code::kConflict, "the file call was cancelled"});
  --sandbox->file_calls_;
  sandbox->touch();
  sandbox->nudge();
}

Result<FileStream> FileStream::begin(const SandboxPtr& sandbox, const wire::file::Request& request) {
  RETURN_IF_ERROR(sandbox->check_alive());
  const auto bell = std::make_shared<io::Bell>(sandbox->ground_.loop);
  auto open = std::make_unique<Open>(sandbox, bell);
  ASSIGN_OR_RETURN(open->call,
                   engine::ServedFileCall::begin(sandbox->streams_, request, [bell] { bell->ring(); }));
  sandbox->nudge();
  return FileStream(std::move(open));
}

io::Task<> FileStream::wait(io::Deadline until, Late late) {
  open_->sandbox->nudge_if_unsent();
  auto woken = co_await open_->bell->wait(until);
  if (woken) co_return woken;
  const bool is_late = woken.error().code == Code::kTimeout;
  if (is_late && late == Late::kMayAskAgain) co_return woken;
  base::Error why = is_late ? base::Error{Code::kTimeout, "the file call took too long"} : woken.error();
  open_->call->cancel(why);
  co_return std::unexpected(std::move(why));
}

io::Task<std::optional<wire::file::Event>> FileStream::next_event(io::Deadline until, Late late) {
  while (true) {
    if (auto event = open_->call->take()) co_return event;
    if (const auto& end = open_->call->end()) {
      if (!*end) co_return std::unexpected(end->error());
      co_return std::optional<wire::file::Event>();
    }
    CO_RETURN_IF_ERROR(co_await wait(until, late));
  }
}

io::Task<std::size_t> FileStream::await_room(io::Deadline until) {
  while (true) {
    // It may have failed already: nobody wants to send the rest of it.
    const auto& end = open_->call->end();
    if (end && !*end) co_return std::unexpected(end->error());
    if (end) co_return unexpected_answer();
    const std::size_t room = open_->call->room();
    if (room > 0) co_return room;
    CO_RETURN_IF_ERROR(co_await wait(until, Late::kCancels));
  }
}

void FileStream::give(std::string bytes) {
  open_->call->give(std::move(bytes));
  open_->sandbox->nudge_if_unsent();
}

void FileStream::close_input() {
  open_->call->close_input();
  open_->sandbox->nudge_if_unsent();
}

io::Task<Done> FileStream::end(io::Deadline until) {
  while (true) {
    CO_ASSIGN_OR_RETURN(const auto event, co_await next_event(until, Late::kCancels));
    if (!event) co_return **open_->call->end();
  }
}

io::Task<std::string> FileSource::next(io::Deadline until) {
  while (true) {
    CO_ASSIGN_OR_RETURN(auto event, co_await stream_.next_event(until, FileStream::Late::kCancels));
    if (!event) co_return std::string();
    auto* bytes = std::get_if<wire::file::Bytes>(&*event);
    if (bytes == nullptr) co_return unexpected_answer();
    if (!bytes->bytes.empty()) co_return std::move(bytes->bytes);
  }
}

io::Task<> FileSink::put(std::string bytes, io::Deadline until) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    CO_ASSIGN_OR_RETURN(const std::size_t room, co_await stream_.await_room(until));
    const std::string_view piece = rest.substr(0, room);
    rest.remove_prefix(piece.size());
    stream_.give(std::string(piece));
  }
  co_return Result<>();
}

io::Task<Done> FileSink::finish(io::Deadline until) {
  stream_.close_input();
  co_return co_await stream_.end(until);
}

io::Task<std::optional<wire::file::Changed>> FileWatch::next(io::Deadline until) {
  CO_ASSIGN_OR_RETURN(auto event, co_await stream_.next_event(until, FileStream::Late::kMayAskAgain));
  if (!event) co_return std::optional<wire::file::Changed>();
  auto* changed = std::get_if<wire::file::Changed>(&*event);
  if (changed == nullptr) co_return unexpected_answer();
  co_return std::optional(std::move(*changed));
}

namespace {

io::Task<std::vector<Entry>> list_of(SandboxPtr sandbox, wire::file::Request request, io::Deadline until) {
  CO_ASSIGN_OR_RETURN(auto stream, FileStream::begin(sandbox, request));
  std::vector<Entry> all;
  std::size_t size = 0;
  while (true) {
    CO_ASSIGN_OR_RETURN(auto event, co_await stream.next_event(until, FileStream::Late::kCancels));
    if (!event) co_return all;
    auto* entries = std::get_if<wire::file::Entries>(&*event);
    if (entries == nullptr) co_return unexpected_answer();
    for (Entry& entry : entries->entries) {
      // Whoever answers may have no end of them.
      size += sizeof entry + entry.path.size() + entry.target.size();
      if (size > kMostListed) {
        co_return base::fail(Code::kExhausted, "the list is larger than 64 MiB; ask for it in pages");
      }
      all.push_back(std::move(entry));
    }
  }
}

}  // namespace

io::Task<std::vector<Entry>> list(SandboxPtr sandbox, wire::file::List request, io::Deadline until) {
  return list_of(std::move(sandbox), std::move(request), until);
}

io::Task<Entry> stat(SandboxPtr sandbox, wire::file::Stat request, io::Deadline until) {
  CO_ASSIGN_OR_RETURN(auto entries, co_await list_of(std::move(sandbox), std::move(request), until));
  if (entries.size() != 1) co_return unexpected_answer();
  co_return std::move(entries.front());
}

io::Task<std::vector<wire::file::Attribute>> attributes(SandboxPtr sandbox, std::string path,
                                                        io::Deadline until) {
  const wire::file::GetAttributes request{.path = std::move(path)};
  CO_ASSIGN_OR_RETURN(auto stream, FileStream::begin(sandbox, request));
  std::vector<wire::file::Attribute> all;
  while (true) {
    CO_ASSIGN_OR_RETURN(auto event, co_await stream.next_event(until, FileStream::Late::kCancels));
    if (!event) co_return all;
    auto* attribute = std::get_if<wire::file::Attribute>(&*event);
    if (attribute == nullptr || all.size() >= wire::file::kMaxAttributes) co_return unexpected_answer();
    all.push_back(std::move(*attribute));
  }
}

io::Task<Done> change(SandboxPtr sandbox, wire::file::Request request, io::Deadline until) {
  CO_ASSIGN_OR_RETURN(auto stream, FileStream::begin(sandbox, request));
  co_return co_await stream.end(until);
}

io::Task<FileSource> read(SandboxPtr sandbox, wire::file::Read request, io::Deadline until) {
  CO_ASSIGN_OR_RETURN(auto stream, FileStream::begin(sandbox, request));
  CO_ASSIGN_OR_RETURN(auto event, co_await stream.next_event(until, FileStream::Late::kCancels));
  auto* opened = event ? std::get_if<wire::file::Opened>(&*event) : nullptr;
  if (opened == nullptr) co_return unexpected_answer();
  co_return FileSource(std::move(stream), std::move(opened->entry));
}

Result<FileSource> pack(const SandboxPtr& sandbox, const wire::file::Pack& request) {
  ASSIGN_OR_RETURN(auto stream, FileStream::begin(sandbox, request));
  return FileSource(std::move(stream));
}

Result<FileSink> write(const SandboxPtr& sandbox, const wire::file::Write& request) {
  ASSIGN_OR_RETURN(auto stream, FileStream::begin(sandbox, request));
  return FileSink(std::move(stream));
}

Result<FileSink> unpack(const SandboxPtr& sandbox, const wire::file::Unpack& request) {
  ASSIGN_OR_RETURN(auto stream, FileStream::begin(sandbox, request));
  return FileSink(std::move(stream));
}

Result<FileWatch> watch(const SandboxPtr& sandbox, const wire::file::Watch& request) {
  ASSIGN_OR_RETURN(auto stream, FileStream::begin(sandbox, request));
  return FileWatch(std::move(stream));
}

}  // namespace fleet
