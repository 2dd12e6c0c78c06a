#include "api/run_wish.h"

#include <algorithm>

#include "api/sandbox_of.h"
#include "api/sandbox_wish.h"
#include "engine/language.h"
#include "engine/runtime_environment.h"

namespace api {

namespace {

constexpr std::size_t kMostArguments = 4096;

bool has_nul(std::string_view text) { return text.contains('\0'); }

}  // namespace

void read_code(Fields& fields, RunWish& wish) {
  wish.code = fields.text("code", wire::init::kMaxExecution);
  if (const auto name = fields.text("language", 32)) {
    const auto language = engine::language_by_name(*name);
    if (!language) {
      fields.refuse("language", "has to be one of: " + engine::language_names());
    } else {
      wish.language = std::string((*language)->name);
    }
  }
}

void read_command(Fields& fields, RunWish& wish) {
  const auto command = fields.text("command", wire::init::kMaxString);
  auto argv = fields.list("argv", kMostArguments);
  if (command && argv) fields.refuse("argv", "cannot stand beside 'command'");
  if (command && (command->empty() || has_nul(*command)))
    fields.refuse("command", "is empty or has NUL in it");
  if (command) wish.argv = {"/bin/bash", "-c", *command};
  if (!argv) return;
  if (argv->empty() || argv->front().empty()) fields.refuse("argv", "has to begin with a program");
  if (std::ranges::any_of(*argv, has_nul)) fields.refuse("argv", "has NUL in it");
  wish.argv = *std::move(argv);
}

void read_run(const Call& call, Fields& fields, RunWish& wish) {
  wish.timeout = read_timeout(call, fields);
  wish.input = fields.text("input", wire::init::kMaxExecution).value_or("");
  wish.files = read_run_files(fields);
}

std::optional<std::string> read_cwd(Fields& fields) {
  auto cwd = fields.text("cwd", wire::file::kMaxPath);
  if (cwd && (cwd->empty() || has_nul(*cwd))) fields.refuse("cwd", "is empty or has NUL in it");
  return cwd;
}

Streaming read_streaming(Fields& fields) {
  return fields.choice("stream", {"none", "sse"}) == "sse" ? Streaming::kSse : Streaming::kNone;
}

std::string dialect_of(std::string_view language) {
  const auto found = engine::language_by_name(language);
  return found ? std::string((*found)->dialect) : std::string();
}

engine::Cell cell_of(const RunWish& wish, std::chrono::milliseconds timeout) {
  return {.code = wish.code.value_or(""), .input = wish.input, .timeout = timeout};
}

engine::Command command_of(const fleet::Sandbox& sandbox, const RunWish& wish,
                           std::chrono::milliseconds timeout) {
  engine::Command command = sandbox.command(wish.argv);
  engine::set_variables(command.environment, wish.environment);
  if (wish.cwd) command.cwd = absolute(sandbox, *wish.cwd);
  command.timeout = timeout;
  if (!wish.input.empty()) command.input = wire::init::Stdin::kStream;
  return command;
}

}  // namespace api
