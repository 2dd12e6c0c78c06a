#include "api/program.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "api/sandbox_of.h"
#include "api/sandbox_wish.h"

namespace api {

namespace {

using base::Code;

constexpr std::size_t kMaxArguments = 4096;
constexpr std::size_t kMaxArgument = 131072;
constexpr std::size_t kMaxPath = 4096;
// What init may take to start a process on a busy host, and the kernel to end one.
constexpr std::chrono::seconds kStart{30};
constexpr std::chrono::seconds kEnd{2};

bool fits(std::string_view text, std::size_t most) { return text.size() <= most && !text.contains('\0'); }

std::vector<std::string> read_argv(Fields& fields) {
  auto argv = fields.list("argv", kMaxArguments);
  if (!argv) return {};
  if (argv->empty()) fields.refuse("argv", "is empty; the program comes first");
  if (!std::ranges::all_of(*argv, [](std::string_view text) { return fits(text, kMaxArgument); })) {
    fields.refuse("argv", "has an argument that is longer than 128 KiB or has NUL in it");
  }
  return *std::move(argv);
}

std::vector<std::string> read_command(Fields& fields) {
  auto command = fields.text("command", kMaxArgument);
  if (!command) return {};
  if (command->empty() || command->contains('\0')) fields.refuse("command", "is empty, or has NUL in it");
  return {"bash", "-c", *std::move(command)};
}

}  // namespace

engine::Command read_program(Fields& fields, const fleet::Sandbox& sandbox, std::vector<std::string> otherwise) {
  auto argv = read_argv(fields);
  auto command = read_command(fields);
  if (fields.has("argv") && fields.has("command")) fields.refuse("argv", "cannot stand beside 'command'");
  if (!fields.has("argv") && !fields.has("command")) {
    if (otherwise.empty()) fields.refuse("command", "is missing; it or 'argv' says what to run");
    argv = std::move(otherwise);
  }
  auto program = sandbox.command(argv.empty() ? std::move(command) : std::move(argv));
  if (const auto cwd = fields.text("cwd", kMaxPath)) {
    if (cwd->empty() || cwd->contains('\0')) fields.refuse("cwd", "is empty, or has NUL in it");
    program.cwd = absolute(sandbox, *cwd);
  }
  set_variables(program.environment, read_environment(fields));
  return program;
}

io::Task<> until_started(fleet::RunPtr run) {
  const io::Deadline until = io::Clock::now() + kStart;
  CO_RETURN_IF_ERROR(co_await run->after(0, 1, until));
  const auto& ending = run->ending();
  if (ending && ending->error && !run->started_at()) {
    base::Error error = base::with_context("the program cannot be started", *ending->error);
    // A program or directory that is not there is a mistake of the request, and not what its path names.
    if (error.code == Code::kNotFound || error.code == Code::kDenied) error.code = Code::kInvalid;
    co_return std::unexpected(std::move(error));
  }
  if (run->started_at() || ending) co_return Result<>();
  (void)run->cancel();
  co_return base::fail(Code::kTimeout, fmt::format("the sandbox did not start the program in {}", kStart));
}

io::Task<> kill(fleet::RunPtr run) {
  if (run->is_over()) co_return Result<>();
  // Cancelled first, so that its cause says that somebody wanted it so.
  (void)run->cancel();
  (void)run->signal(SIGKILL);
  const io::Deadline until = io::Clock::now() + kEnd;
  const auto ended = co_await run->wait(until);
  if (!ended && ended.error().code != Code::kTimeout) co_return std::unexpected(ended.error());
  co_return Result<>();
}

}  // namespace api
