#include "api/program.h"

#include <fmt/format.h>
#include <signal.h>

#include "api/run_wish.h"
#include "api/sandbox_wish.h"

namespace api {

namespace {

using base::Code;

// What init may take to start a process on a busy host, and the kernel to end one.
constexpr std::chrono::seconds kStart{30};
constexpr std::chrono::seconds kEnd{2};

}  // namespace

engine::Command read_program(Fields& fields, const fleet::Sandbox& sandbox,
                             std::vector<std::string> otherwise) {
  RunWish wish;
  read_command(fields, wish);
  if (!fields.has("argv") && !fields.has("command")) {
    if (otherwise.empty()) fields.refuse("command", "is missing; it or 'argv' says what to run");
    wish.argv = std::move(otherwise);
  }
  wish.cwd = read_cwd(fields);
  wish.environment = read_environment(fields);
  return command_of(sandbox, wish, std::chrono::milliseconds(0));
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
  co_return base::fail(Code::kTimeout,
                       fmt::format("the sandbox did not start the program in {} s", kStart.count()));
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
