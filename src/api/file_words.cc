#include "api/file_words.h"

#include <fmt/format.h>

#include "api/base64.h"
#include "api/clock.h"
#include "api/sandbox_of.h"
#include "base/text_of_bytes.h"

namespace api {

namespace {

using base::Code;
using wire::file::Kind;

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::kFile:
      return "file";
    case Kind::kDirectory:
      return "directory";
    case Kind::kSymlink:
      return "symlink";
    case Kind::kFifo:
      return "fifo";
    case Kind::kSocket:
      return "socket";
    case Kind::kCharacterDevice:
      return "character_device";
    case Kind::kBlockDevice:
      return "block_device";
  }
  return "file";
}

store::Time modified_at(const wire::file::Entry& entry) {
  return store::Time(
      std::chrono::floor<std::chrono::milliseconds>(std::chrono::nanoseconds(entry.modified_ns)));
}

}  // namespace

Result<std::string> path_of(const Call& call) {
  std::string path = "/" + call["path"];
  if (path.size() <= wire::file::kMaxPath && !path.ends_with('/') && !path.contains("//")) return path;
  return base::fail(Code::kInvalid,
                    "the path of a file has 1 to 4095 bytes and no empty part: …/files/home/user/a.txt");
}

Result<std::string> queried_path(const Call& call, const fleet::Sandbox& sandbox) {
  const auto path = call.query("path");
  if (path && !path->empty()) return absolute(sandbox, *path);
  return base::fail(Code::kInvalid, "'path' is missing: the path of something in the sandbox");
}

Result<std::uint32_t> parse_mode(std::string_view text) {
  const bool is_octal = text.find_first_not_of("01234567") == std::string_view::npos;
  if (!is_octal || text.size() < 3 || text.size() > 4) {
    return base::fail(Code::kInvalid, "'mode' has to be three or four octal digits, like 0644");
  }
  std::uint32_t mode = 0;
  for (const char digit : text) mode = mode * 8 + static_cast<std::uint32_t>(digit - '0');
  return mode;
}

std::string text_of_path(std::string_view bytes) {
  base::TextOfBytes text;
  return text.take(bytes) + text.rest();
}

void put_path(boost::json::object& document, std::string_view bytes) {
  const std::string text = text_of_path(bytes);
  document["path"] = text;
  if (text != bytes) document["path_base64"] = base64(bytes);
}

boost::json::object entry_document(const wire::file::Entry& entry) {
  boost::json::object document;
  put_path(document, entry.path);
  document["kind"] = name_of(entry.kind);
  document["mode"] = fmt::format("{:04o}", entry.mode & 07777U);
  document["uid"] = entry.uid;
  document["gid"] = entry.gid;
  document["links"] = entry.links;
  document["size"] = entry.size;
  document["modified_at"] = text_of(modified_at(entry));
  document["target"] = nullptr;
  if (entry.kind == Kind::kSymlink) document["target"] = text_of_path(entry.target);
  return document;
}

io::Task<wire::file::Done> take_body(CallPtr call, fleet::FileSink sink) {
  while (true) {
    auto piece = co_await call->exchange().next_piece();
    if (!piece && piece.error().code == Code::kTimeout) {
      co_return call->refuse(problem("request_timeout", "the body of the request came too slowly"));
    }
    if (!piece) co_return std::unexpected(std::move(piece).error());
    if (piece->empty()) break;
    CO_RETURN_IF_ERROR(told(co_await sink.put(*std::move(piece), soon())));
  }
  co_return told(co_await sink.finish(in_a_while()));
}

io::Task<> send_rest(CallPtr call, fleet::FileSource source) {
  while (true) {
    CO_ASSIGN_OR_RETURN(const std::string piece, co_await source.next(soon()));
    if (piece.empty()) co_return co_await call->exchange().finish();
    CO_RETURN_IF_ERROR(co_await call->exchange().send(piece));
  }
}

}  // namespace api
