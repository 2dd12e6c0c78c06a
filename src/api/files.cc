#include <fmt/format.h>

#include "api/file_handlers.h"
#include "api/file_part.h"
#include "api/file_words.h"
#include "api/sandbox_of.h"
#include "api/signed_urls.h"

namespace api {

namespace {

using base::Code;
using wire::file::How;
using wire::file::Read;
using wire::file::Write;

bool wants_head_only(const Call& call) { return call.exchange().method() == "HEAD"; }

Conditions conditions_of(const Call& call) {
  const http::Exchange& exchange = call.exchange();
  Conditions conditions;
  conditions.none_match = exchange.header("If-None-Match").value_or("");
  // A range is of bytes that are sent; HEAD sends none.
  const auto range = exchange.header("Range");
  if (!range || wants_head_only(call)) return conditions;
  conditions.range = parse_range(*range);
  conditions.if_range = exchange.header("If-Range").value_or("");
  return conditions;
}

http::Response head_of(const wire::file::Entry& entry, const Part& part) {
  http::Response head = http::response_of(part.status, "application/octet-stream", {});
  head.headers.push_back({"ETag", etag_of(entry)});
  head.headers.push_back({"Last-Modified", last_modified_of(entry)});
  head.headers.push_back({"Accept-Ranges", "bytes"});
  // Kept by whoever asked, who has to ask each time whether it is still the same.
  head.headers.push_back({"Cache-Control", "private, no-cache"});
  if (part.status == 206) {
    const std::uint64_t last = part.offset + part.length - 1;
    head.headers.push_back({"Content-Range", fmt::format("bytes {}-{}/{}", part.offset, last, entry.size)});
  }
  return head;
}

io::Task<> reply_unchanged(CallPtr call, wire::file::Entry entry) {
  http::Response response{.status = 304};
  response.headers.push_back({"ETag", etag_of(entry)});
  response.headers.push_back({"Cache-Control", "private, no-cache"});
  co_return co_await call->exchange().reply(std::move(response));
}

io::Task<> reply_out_of_range(CallPtr call, std::uint64_t size) {
  auto response = http::problem_response(problem(
      "range_not_satisfiable", fmt::format("the file has {} bytes", size), "ask for bytes within it"));
  response.headers.push_back({"Content-Range", fmt::format("bytes */{}", size)});
  co_return co_await call->exchange().reply(std::move(response));
}

// To HEAD. What has no size and yet something in it is made up as it is read: nobody knows its length.
io::Task<> reply_head(CallPtr call, fleet::FileSource source, http::Response head) {
  CO_ASSIGN_OR_RETURN(const std::string first, told(co_await source.next(soon())));
  std::optional<std::uint64_t> length = source.entry().size;
  if (*length == 0 && !first.empty()) length.reset();
  CO_RETURN_IF_ERROR(co_await call->exchange().begin(std::move(head), length));
  co_return co_await call->exchange().finish();
}

// The first bytes are there before the answer begins, so that what fails at once has a status of its own. A
// file that is made up has another length than its size.
io::Task<> reply_bytes(CallPtr call, fleet::FileSource source, http::Response head, std::uint64_t length) {
  http::Exchange& exchange = call->exchange();
  CO_ASSIGN_OR_RETURN(std::string first, told(co_await source.next(soon())));
  std::string second;
  if (!first.empty() && first.size() < length) {
    CO_ASSIGN_OR_RETURN(second, told(co_await source.next(soon())));
  }
  const bool is_all = second.empty() && first.size() <= length;
  if (is_all) {
    head.body = std::move(first);
    co_return co_await exchange.reply(std::move(head));
  }
  const auto known = first.size() > length ? std::nullopt : std::optional(length);
  CO_RETURN_IF_ERROR(co_await exchange.begin(std::move(head), known));
  CO_RETURN_IF_ERROR(co_await exchange.send(first));
  CO_RETURN_IF_ERROR(co_await exchange.send(second));
  co_return co_await send_rest(call, std::move(source));
}

Result<How> how_of(const Call& call) {
  const std::string how = call.query("how").value_or("replace");
  if (how == "replace") return How::kReplace;
  if (how == "create") return How::kCreate;
  if (how == "append") return How::kAppend;
  if (how == "patch") return How::kPatch;
  return base::fail(Code::kInvalid, "'how' has to be one of: replace, create, append, patch");
}

Result<Write> write_of(const Call& call) {
  constexpr std::uint64_t kMostOffset = 9'007'199'254'740'991;
  Write write;
  ASSIGN_OR_RETURN(write.path, path_of(call));
  ASSIGN_OR_RETURN(write.how, how_of(call));
  ASSIGN_OR_RETURN(write.offset, call.number("offset", 0, kMostOffset));
  if (write.offset != 0 && write.how != How::kPatch) {
    return base::fail(Code::kInvalid, "'offset' is for how=patch alone");
  }
  ASSIGN_OR_RETURN(const bool parents, call.truth("parents", true));
  write.parents = parents ? wire::file::Parents::kMake : wire::file::Parents::kMustExist;
  if (const auto mode = call.query("mode")) {
    ASSIGN_OR_RETURN(write.mode, parse_mode(*mode));
  }
  return write;
}

}  // namespace

io::Task<> read_file(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_by_key_or_signature(call));
  CO_RETURN_IF_ERROR(call->exchange().check_query(call->route().query));
  const Conditions conditions = conditions_of(*call);
  Read read;
  CO_ASSIGN_OR_RETURN(read.path, path_of(*call));
  // A range is cut out of what the file is, so that has to be known first.
  if (conditions.range) read.length = 0;
  if (wants_head_only(*call)) read.length = 1;
  CO_ASSIGN_OR_RETURN(auto source, told(co_await fleet::read(sandbox, read, soon())));
  const Part part = part_of(source.entry(), conditions);
  if (part.status == 304) co_return co_await reply_unchanged(call, source.entry());
  if (part.status == 416) co_return co_await reply_out_of_range(call, source.entry().size);
  http::Response head = head_of(source.entry(), part);
  if (wants_head_only(*call)) co_return co_await reply_head(call, std::move(source), std::move(head));
  if (conditions.range) {
    const std::string etag = etag_of(source.entry());
    read.offset = part.offset;
    read.length = part.status == 206 ? part.length : UINT64_MAX;
    CO_ASSIGN_OR_RETURN(source, told(co_await fleet::read(sandbox, read, soon())));
    if (etag_of(source.entry()) != etag) {
      co_return base::fail(Code::kConflict, text_of_path(read.path) + " changed meanwhile; read it again");
    }
  }
  co_return co_await reply_bytes(call, std::move(source), std::move(head), part.length);
}

io::Task<> write_file(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_by_key_or_signature(call));
  CO_RETURN_IF_ERROR(call->exchange().check_query(call->route().query));
  CO_ASSIGN_OR_RETURN(const auto write, write_of(*call));
  CO_ASSIGN_OR_RETURN(auto sink, fleet::write(sandbox, write));
  CO_ASSIGN_OR_RETURN(const auto done, co_await take_body(call, std::move(sink)));
  boost::json::object document{{"path", text_of_path(write.path)}, {"size", done.bytes}};
  co_return co_await call->reply(200, std::move(document));
}

io::Task<> remove_path(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  wire::file::Remove remove;
  CO_ASSIGN_OR_RETURN(remove.path, path_of(*call));
  CO_ASSIGN_OR_RETURN(const bool tree, call->truth("recursive", false));
  remove.tree = tree ? 1 : 0;
  CO_ASSIGN_OR_RETURN(const auto done, told(co_await fleet::change(sandbox, remove, in_a_while())));
  boost::json::object document{{"removed", done.entries}};
  co_return co_await call->reply(200, std::move(document));
}

}  // namespace api
