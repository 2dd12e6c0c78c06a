#include "api/file_handlers.h"
#include "api/file_words.h"
#include "api/sandbox_of.h"

namespace api {

namespace {

using wire::file::Format;

Result<Format> format_of(const Call& call) {
  const std::string format = call.query("format").value_or("tar");
  if (format == "tar") return Format::kTar;
  if (format == "tar.gz") return Format::kTarGzip;
  if (format == "zip") return Format::kZip;
  return base::fail(base::Code::kInvalid, "'format' has to be one of: tar, tar.gz, zip");
}

std::string_view type_of(Format format) {
  switch (format) {
    case Format::kTar:
      return "application/x-tar";
    case Format::kTarGzip:
      return "application/gzip";
    case Format::kZip:
      return "application/zip";
  }
  return "application/octet-stream";
}

}  // namespace

io::Task<> pack_directory(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  wire::file::Pack request;
  CO_ASSIGN_OR_RETURN(request.path, queried_path(*call, *sandbox));
  CO_ASSIGN_OR_RETURN(request.format, format_of(*call));
  http::Response head = http::response_of(200, type_of(request.format), {});
  CO_ASSIGN_OR_RETURN(auto source, fleet::pack(sandbox, request));
  // What fails at once has a status of its own.
  CO_ASSIGN_OR_RETURN(const std::string first, told(co_await source.next(soon())));
  CO_RETURN_IF_ERROR(co_await call->exchange().begin(std::move(head)));
  if (first.empty()) co_return co_await call->exchange().finish();
  CO_RETURN_IF_ERROR(co_await call->exchange().send(first));
  co_return co_await send_rest(call, std::move(source));
}

io::Task<> unpack_archive(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  wire::file::Unpack request;
  CO_ASSIGN_OR_RETURN(request.path, queried_path(*call, *sandbox));
  CO_ASSIGN_OR_RETURN(request.format, format_of(*call));
  CO_ASSIGN_OR_RETURN(const bool overwrite, call->truth("overwrite", true));
  request.existing = overwrite ? wire::file::Existing::kReplace : wire::file::Existing::kRefuse;
  CO_ASSIGN_OR_RETURN(auto sink, fleet::unpack(sandbox, request));
  CO_ASSIGN_OR_RETURN(const auto done, co_await take_body(call, std::move(sink)));
  boost::json::object document{{"entries", done.entries}, {"bytes", done.bytes}, {"skipped", done.skipped}};
  co_return co_await call->reply(200, std::move(document));
}

}  // namespace api
