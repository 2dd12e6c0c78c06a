#include "api/fields.h"
#include "api/file_handlers.h"
#include "api/file_words.h"
#include "api/sandbox_of.h"

namespace api {

namespace {

using wire::file::kMaxPath;

std::string required_path(Fields& fields, std::string_view name) {
  auto path = fields.required(name, fields.text(name, kMaxPath));
  if (fields.has(name) && path.empty()) fields.refuse(name, "is empty");
  return path;
}

std::optional<std::uint32_t> mode_in(Fields& fields) {
  const auto text = fields.text("mode");
  if (!text) return std::nullopt;
  const auto mode = parse_mode(*text);
  if (mode) return *mode;
  fields.refuse(mode.error());
  return std::nullopt;
}

struct Answer {
  unsigned status = 200;
  std::string path;  // where it is now
};

io::Task<> apply(CallPtr call, fleet::SandboxPtr sandbox, wire::file::Request request, Answer answer) {
  CO_RETURN_IF_ERROR(told(co_await fleet::change(std::move(sandbox), std::move(request), soon())));
  boost::json::object document{{"path", text_of_path(answer.path)}};
  co_return co_await call->reply(answer.status, std::move(document));
}

}  // namespace

io::Task<> make_directory(CallPtr call) {
  Fields fields(call->body());
  const std::string path = required_path(fields, "path");
  const auto mode = mode_in(fields);
  const bool parents = fields.truth("parents").value_or(true);
  CO_RETURN_IF_ERROR(fields.check());
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  wire::file::MakeDirectory request{.path = absolute(*sandbox, path)};
  if (mode) request.mode = *mode;
  request.parents = parents ? wire::file::Parents::kMake : wire::file::Parents::kMustExist;
  Answer answer{.status = 201, .path = request.path};
  co_return co_await apply(call, sandbox, std::move(request), std::move(answer));
}

io::Task<> move_path(CallPtr call) {
  Fields fields(call->body());
  const std::string from = required_path(fields, "from");
  const std::string to = required_path(fields, "to");
  const bool overwrite = fields.truth("overwrite").value_or(true);
  CO_RETURN_IF_ERROR(fields.check());
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  wire::file::Move request{.from = absolute(*sandbox, from), .to = absolute(*sandbox, to)};
  request.existing = overwrite ? wire::file::Existing::kReplace : wire::file::Existing::kRefuse;
  Answer answer{.path = request.to};
  co_return co_await apply(call, sandbox, std::move(request), std::move(answer));
}

io::Task<> change_mode(CallPtr call) {
  Fields fields(call->body());
  const std::string path = required_path(fields, "path");
  const std::uint32_t mode = fields.required("mode", mode_in(fields));
  CO_RETURN_IF_ERROR(fields.check());
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  wire::file::SetMode request{.path = absolute(*sandbox, path), .mode = mode};
  Answer answer{.path = request.path};
  co_return co_await apply(call, sandbox, std::move(request), std::move(answer));
}

io::Task<> make_symlink(CallPtr call) {
  Fields fields(call->body());
  const std::string path = required_path(fields, "path");
  const std::string target = required_path(fields, "target");
  CO_RETURN_IF_ERROR(fields.check());
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  wire::file::MakeSymlink request{.target = target, .path = absolute(*sandbox, path)};
  Answer answer{.status = 201, .path = request.path};
  co_return co_await apply(call, sandbox, std::move(request), std::move(answer));
}

}  // namespace api
