#include "files/read.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "files/entry.h"
#include "sys/retry.h"

namespace files {

namespace {

Result<std::string> read_at(int file, std::uint64_t offset, std::uint64_t most) {
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(most, wire::kMaxChunk - 64)), '\0');
  const ssize_t n =
      sys::retry([&] { return ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
  if (n < 0) return base::failed_call("read");
  bytes.resize(static_cast<std::size_t>(n));
  return bytes;
}

// From here to there; what is made up ends where it ends.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_made_up = false;
};

Result<Range> range_of(const wire::file::Read& request, int file, std::uint64_t size) {
  ASSIGN_OR_RETURN(const bool made_up, is_made_up(file));
  const std::uint64_t known = made_up ? UINT64_MAX : size;
  const std::uint64_t begin = std::min(request.offset, known);
  return Range{.begin = begin, .end = begin + std::min(request.length, known - begin), .is_made_up = made_up};
}

}  // namespace

Result<wire::file::Done> read(Call& call, const wire::file::Read& request) {
  ASSIGN_OR_RETURN(auto place, resolve_existing(request.path, Links::kFollow));
  ASSIGN_OR_RETURN(const auto file, open_regular(place, request.path, O_RDONLY));
  ASSIGN_OR_RETURN(place.status, sys::fstat(file.get()));
  ASSIGN_OR_RETURN(const auto entry, entry_of(place));
  ASSIGN_OR_RETURN(const auto range, range_of(request, file.get(), entry.size));
  RETURN_IF_ERROR(call.send(wire::file::Opened{.entry = entry}));
  std::uint64_t at = range.begin;
  while (at < range.end) {
    auto bytes = read_at(file.get(), at, range.end - at);
    if (!bytes) return base::failed_call("read(" + request.path + ")", bytes.error().sys_errno);
    if (bytes->empty() && range.is_made_up) break;
    if (bytes->empty()) {
      return base::fail(base::Code::kConflict,
                        request.path + " became shorter while it was read: " + std::to_string(at) + " of " +
                            std::to_string(entry.size) + " bytes are there; read it again");
    }
    at += bytes->size();
    if (range.is_made_up && at - range.begin > kMostMadeUp) {
      return base::fail(base::Code::kExhausted, request.path +
                                                    " has no size of its own, and gives more than 4 MiB; "
                                                    "read it with a program");
    }
    RETURN_IF_ERROR(call.send(wire::file::Bytes{.bytes = *std::move(bytes)}));
  }
  return wire::file::Done{.bytes = at - range.begin};
}

}  // namespace files
