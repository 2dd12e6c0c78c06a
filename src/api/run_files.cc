#include "api/run_files.h"

#include "api/base64.h"
#include "api/sandbox_of.h"
#include "fleet/files.h"

namespace api {

namespace {

namespace json = boost::json;
using base::Code;

constexpr std::size_t kMostFiles = 1000;
constexpr std::size_t kMostOutput = 20 << 20;
constexpr std::size_t kPiece = 256 << 10;
constexpr std::chrono::seconds kPatience{60};

io::Deadline soon() { return io::Clock::now() + kPatience; }

void read_input(Fields& fields, const json::value& value, RunFiles& files) {
  if (!value.is_object()) return fields.refuse("files", "has to be a list of objects");
  Fields file(value.get_object(), "files.");
  RunFiles::Input input;
  input.path = file.required("path", file.text("path"));
  input.bytes = file.required("content", file.text("content", 16 << 20));
  const auto encoding = file.choice("encoding", {"utf8", "base64"});
  if (encoding == "base64") {
    auto bytes = bytes_of_base64(input.bytes);
    if (!bytes) file.refuse("content", bytes.error().message);
    if (bytes) input.bytes = *std::move(bytes);
  }
  if (input.path.empty() || input.path.contains('\0')) file.refuse("path", "is empty or has NUL in it");
  if (const auto checked = file.check(); !checked) fields.refuse(checked.error());
  files.inputs.push_back(std::move(input));
}

io::Task<> put(fleet::SandboxPtr sandbox, RunFiles::Input input) {
  const wire::file::Write request{.path = absolute(*sandbox, input.path),
                                  .parents = wire::file::Parents::kMake};
  CO_ASSIGN_OR_RETURN(auto sink, fleet::write(sandbox, request));
  for (std::size_t at = 0; at < input.bytes.size(); at += kPiece) {
    CO_RETURN_IF_ERROR(co_await sink.put(input.bytes.substr(at, kPiece), soon()));
  }
  CO_RETURN_IF_ERROR(co_await sink.finish(soon()));
  co_return Result<>();
}

io::Task<std::string> take(fleet::SandboxPtr sandbox, std::string path, std::size_t most) {
  wire::file::Read request{.path = absolute(*sandbox, path)};
  CO_ASSIGN_OR_RETURN(auto source, co_await fleet::read(sandbox, std::move(request), soon()));
  if (source.entry().size > most) {
    co_return base::fail(Code::kExhausted,
                         "the outputs are larger than 20 MiB together; GET …/files has no such limit");
  }
  std::string bytes;
  while (true) {
    CO_ASSIGN_OR_RETURN(const auto piece, co_await source.next(soon()));
    if (piece.empty()) co_return bytes;
    if (bytes.size() + piece.size() > most)
      co_return base::fail(Code::kExhausted, "it grew while it was read");
    bytes += piece;
  }
}

json::object output_document(const std::string& path, const Result<std::string>& bytes) {
  if (bytes) {
    return {{"path", path},
            {"size", bytes->size()},
            {"content", base64(*bytes)},
            {"encoding", "base64"},
            {"error", nullptr}};
  }
  const auto told = problem_of(bytes.error());
  const std::string_view code =
      bytes.error().code == Code::kExhausted ? "payload_too_large" : std::string_view(told.code);
  return {{"path", path},
          {"size", nullptr},
          {"content", nullptr},
          {"encoding", nullptr},
          {"error", {{"code", code}, {"message", told.message}}}};
}

}  // namespace

RunFiles read_run_files(Fields& fields) {
  RunFiles files;
  if (const auto* list = fields.array("files", kMostFiles)) {
    for (const auto& value : *list) read_input(fields, value, files);
  }
  files.outputs = fields.list("outputs", kMostFiles).value_or(std::vector<std::string>());
  for (const std::string& path : files.outputs) {
    if (path.empty() || path.size() > wire::file::kMaxPath || path.contains('\0')) {
      fields.refuse("outputs", "has a path that is empty, longer than 4096 bytes, or has NUL in it");
    }
  }
  return files;
}

io::Task<> put_inputs(fleet::SandboxPtr sandbox, std::vector<RunFiles::Input> inputs) {
  for (RunFiles::Input& input : inputs) {
    const std::string path = input.path;
    auto done = co_await put(sandbox, std::move(input));
    if (!done) co_return std::unexpected(base::with_context("file " + path, std::move(done).error()));
  }
  co_return Result<>();
}

io::Task<json::array> take_outputs(fleet::SandboxPtr sandbox, std::vector<std::string> paths) {
  json::array documents;
  std::size_t room = kMostOutput;
  for (const std::string& path : paths) {
    auto bytes = co_await take(sandbox, path, room);
    if (bytes) room -= bytes->size();
    documents.push_back(output_document(path, bytes));
  }
  co_return documents;
}

}  // namespace api
