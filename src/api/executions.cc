#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/clock.h"
#include "api/making.h"
#include "api/program.h"
#include "api/routes.h"
#include "api/run_document.h"
#include "api/run_stream.h"
#include "api/run_wish.h"
#include "api/sandbox_of.h"
#include "engine/language.h"

namespace api {

namespace {

using base::Code;
namespace json = boost::json;

constexpr std::chrono::seconds kInputPatience{60};
constexpr std::size_t kListedBytes = 64 << 10;

// What a run has come to, for the request that asked for it.
io::Task<json::object> document_at_end(CallPtr call, fleet::SandboxPtr sandbox, fleet::RunPtr run,
                                       std::vector<std::string> outputs) {
  CO_ASSIGN_OR_RETURN(const auto ending, co_await run->wait(std::nullopt));
  // A sandbox that ends takes its runs along: a way to end like others.
  const bool could_not_run = ending.error && ending.outcome.cause != base::Cause::kSandboxEnded;
  if (could_not_run) co_return std::unexpected(*ending.error);
  call->services().metrics.count_execution(base::name_of(ending.outcome.cause));
  CO_ASSIGN_OR_RETURN(auto document, co_await run_document(sandbox->id(), run));
  CO_ASSIGN_OR_RETURN(document["outputs"], co_await take_outputs(sandbox, std::move(outputs)));
  co_return document;
}

http::Header location_of(const fleet::Sandbox& sandbox, const fleet::Run& run) {
  return {"Location", fmt::format("/v1/sandboxes/{}/executions/{}", sandbox.id(), run.id().text())};
}

io::Task<json::object> outputs_at_end(CallPtr call, fleet::SandboxPtr sandbox, fleet::RunPtr run,
                                      std::vector<std::string> outputs) {
  CO_ASSIGN_OR_RETURN(const auto document, co_await document_at_end(call, sandbox, run, std::move(outputs)));
  call->remember(200, document, location_of(*sandbox, *run));
  json::object more;
  if (!document.at("outputs").as_array().empty()) more["outputs"] = document.at("outputs");
  co_return more;
}

io::Task<> answer(CallPtr call, fleet::SandboxPtr sandbox, fleet::RunPtr run, RunWish wish) {
  if (wish.streaming == Streaming::kSse) {
    AtEnd at_end = [call, sandbox, run, outputs = wish.files.outputs] {
      return outputs_at_end(call, sandbox, run, outputs);
    };
    co_return co_await stream_run(call, run, std::move(at_end));
  }
  CO_ASSIGN_OR_RETURN(auto document,
                      co_await document_at_end(call, sandbox, run, std::move(wish.files.outputs)));
  std::vector<http::Header> headers{location_of(*sandbox, *run)};
  co_return co_await call->reply(200, std::move(document), std::move(headers));
}

std::chrono::milliseconds default_timeout(const CallPtr& call, const fleet::Sandbox& sandbox) {
  const Live* live = call->services().roster.find(sandbox.id());
  return live != nullptr ? live->row.limits.timeout : call->services().config.limits.default_timeout;
}

// The one that is named, or the default one of the language. Code in another language than its context's runs
// only where one runtime knows both.
Result<engine::ContextId> context_for(fleet::Sandbox& sandbox, const std::optional<std::string>& named,
                                      RunWish& wish) {
  if (!named) {
    wish.language = wish.language.value_or("python");
    return sandbox.default_context(*wish.language);
  }
  ASSIGN_OR_RETURN(auto id, engine::ContextId::parse(*named));
  ASSIGN_OR_RETURN(const auto info, sandbox.contexts().find(id));
  if (!wish.language || *wish.language == info.name) return id;
  ASSIGN_OR_RETURN(const auto* wanted, engine::language_by_name(*wish.language));
  ASSIGN_OR_RETURN(const auto* has, engine::language_by_name(info.name));
  if (wanted->context == has->context) return id;
  return base::fail(Code::kConflict,
                    fmt::format("context {} runs {}, not {}", *named, info.name, *wish.language));
}

io::Task<> execute(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  RunWish wish;
  Fields fields(call->body());
  read_code(fields, wish);
  if (!wish.code && !fields.has("code")) fields.refuse("code", "is missing");
  read_run(*call, fields, wish);
  wish.streaming = read_streaming(fields);
  const auto named = fields.text("context", 32);
  CO_RETURN_IF_ERROR(fields.check());
  CO_ASSIGN_OR_RETURN(const auto context, context_for(*sandbox, named, wish));
  CO_RETURN_IF_ERROR(co_await put_inputs(sandbox, std::move(wish.files.inputs)));
  engine::Cell cell = cell_of(wish, wish.timeout.value_or(default_timeout(call, *sandbox)));
  if (wish.language) cell.language = dialect_of(*wish.language);
  CO_ASSIGN_OR_RETURN(const auto run, sandbox->execute(context, std::move(cell)));
  co_return co_await answer(call, sandbox, run, std::move(wish));
}

io::Task<fleet::RunPtr> start_command(fleet::SandboxPtr sandbox, RunWish wish,
                                      std::chrono::milliseconds timeout) {
  const engine::Command command = command_of(*sandbox, wish, timeout);
  CO_ASSIGN_OR_RETURN(auto run, sandbox->start(command));
  if (wish.input.empty()) co_return run;
  // A program that ends without reading it is no error.
  const auto given = co_await run->input(std::move(wish.input), io::Clock::now() + kInputPatience);
  if (!given && given.error().code == Code::kTimeout) co_return std::unexpected(given.error());
  (void)run->close_input();
  co_return run;
}

io::Task<> run_command(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  RunWish wish;
  Fields fields(call->body());
  read_command(fields, wish);
  wish.cwd = read_cwd(fields);
  wish.environment = read_environment(fields);
  read_run(*call, fields, wish);
  wish.streaming = read_streaming(fields);
  const bool background = fields.truth("background").value_or(false);
  if (!fields.has("command") && !fields.has("argv")) fields.refuse("command", "is missing, and so is 'argv'");
  if (background && wish.streaming == Streaming::kSse)
    fields.refuse("background", "cannot stand beside 'stream'");
  if (background && !wish.files.outputs.empty()) fields.refuse("background", "cannot stand beside 'outputs'");
  CO_RETURN_IF_ERROR(fields.check());
  CO_RETURN_IF_ERROR(co_await put_inputs(sandbox, std::move(wish.files.inputs)));
  const auto timeout = wish.timeout.value_or(call->services().config.limits.default_command_timeout);
  CO_ASSIGN_OR_RETURN(const auto run, co_await start_command(sandbox, wish, timeout));
  if (!background) co_return co_await answer(call, sandbox, run, std::move(wish));
  CO_RETURN_IF_ERROR(co_await until_started(run));
  CO_ASSIGN_OR_RETURN(auto document, co_await run_document(sandbox->id(), run));
  std::vector<http::Header> headers{location_of(*sandbox, *run)};
  co_return co_await call->reply(202, std::move(document), std::move(headers));
}

struct OneShot {
  SandboxWish sandbox;
  RunWish run;
};

Result<OneShot> read_one_shot(Call& call) {
  OneShot job;
  Fields fields(call.body());
  read_ground(call, fields, job.sandbox);
  read_code(fields, job.run);
  read_command(fields, job.run);
  job.run.cwd = read_cwd(fields);
  read_run(call, fields, job.run);
  const int kinds = int{fields.has("code")} + int{fields.has("command")} + int{fields.has("argv")};
  if (kinds != 1) fields.refuse({Code::kInvalid, "exactly one of 'code', 'command' and 'argv' is wanted"});
  RETURN_IF_ERROR(fields.check());
  const auto& limits = call.services().config.limits;
  job.sandbox.wish.ttl = limits.max_timeout + std::chrono::minutes(5);
  job.sandbox.wish.idle_timeout = limits.default_idle_timeout;
  job.run.timeout = job.run.timeout.value_or(job.sandbox.timeout);
  return job;
}

io::Task<json::object> run_in(CallPtr call, fleet::SandboxPtr sandbox, RunWish wish) {
  CO_RETURN_IF_ERROR(co_await put_inputs(sandbox, std::move(wish.files.inputs)));
  if (!wish.code) {
    CO_ASSIGN_OR_RETURN(const auto run, co_await start_command(sandbox, wish, *wish.timeout));
    co_return co_await document_at_end(call, sandbox, run, std::move(wish.files.outputs));
  }
  CO_ASSIGN_OR_RETURN(const auto context, context_for(*sandbox, std::nullopt, wish));
  engine::Cell cell = cell_of(wish, *wish.timeout);
  cell.language = dialect_of(*wish.language);
  CO_ASSIGN_OR_RETURN(const auto run, sandbox->execute(context, std::move(cell)));
  CO_ASSIGN_OR_RETURN(auto document,
                      co_await document_at_end(call, sandbox, run, std::move(wish.files.outputs)));
  document["context"] = nullptr;
  co_return document;
}

// The answer does not wait until the sandbox is gone; nobody else can reach it.
io::Task<> execute_once(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto job, read_one_shot(*call));
  CO_ASSIGN_OR_RETURN(const auto id, co_await make_sandbox(call, std::move(job.sandbox)));
  CO_ASSIGN_OR_RETURN(const auto sandbox, call->services().fleet.find(id));
  auto document = co_await run_in(call, sandbox, std::move(job.run));
  Services& services = call->services();
  services.roster.end(id, fleet::name_of(fleet::EndCause::kDeleted), now());
  services.behind.spawn("end of a one-shot", services.fleet.end(sandbox, fleet::EndCause::kDeleted));
  if (!document) co_return std::unexpected(std::move(document).error());
  co_return co_await call->reply(200, *std::move(document));
}

io::Task<fleet::RunPtr> run_of(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  CO_ASSIGN_OR_RETURN(const auto id, engine::ExecutionId::parse((*call)["execution"]));
  co_return sandbox->find(id);
}

io::Task<> reply_run(CallPtr call, fleet::RunPtr run) {
  CO_ASSIGN_OR_RETURN(auto document, co_await run_document((*call)["sandbox"], run));
  co_return co_await call->reply(200, std::move(document));
}

io::Task<> get(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto run, co_await run_of(call));
  co_return co_await reply_run(call, run);
}

io::Task<> cancel(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto run, co_await run_of(call));
  if (!run->is_over()) (void)run->cancel();
  co_return co_await reply_run(call, run);
}

io::Task<> events(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto run, co_await run_of(call));
  co_return co_await stream_events(call, run);
}

std::string_view kind_name(const fleet::Run& run) {
  return run.facts().kind == fleet::RunKind::kCell ? "code" : "command";
}

std::string_view state_name(const fleet::Run& run) {
  if (run.state() == fleet::RunState::kWaiting) return "waiting";
  return run.state() == fleet::RunState::kRunning ? "running" : "ended";
}

bool is_wanted(const Call& call, const fleet::Run& run) {
  if (run.facts().has_terminal) return false;
  if (const auto kind = call.query("kind"); kind && *kind != kind_name(run)) return false;
  if (const auto state = call.query("state"); state && *state != state_name(run)) return false;
  const auto context = call.query("context");
  return !context || (run.facts().context && run.facts().context->text() == *context);
}

// Newest first. The cursor is the id of the last one that was told.
io::Task<> list(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  CO_RETURN_IF_ERROR(call->one_of("kind", {"code", "command"}));
  CO_RETURN_IF_ERROR(call->one_of("state", {"waiting", "running", "ended"}));
  CO_ASSIGN_OR_RETURN(const auto page, call->page());
  std::vector<fleet::RunPtr> wanted = sandbox->runs();
  std::ranges::reverse(wanted);
  std::erase_if(wanted, [&](const fleet::RunPtr& run) { return !is_wanted(*call, *run); });
  if (page.cursor) {
    const auto is_last = [&](const fleet::RunPtr& run) { return run->id().text() == *page.cursor; };
    const auto last = std::ranges::find_if(wanted, is_last);
    if (last == wanted.end())
      co_return base::fail(Code::kInvalid, "'cursor' is none of this list, or too old");
    wanted.erase(wanted.begin(), last + 1);
  }
  const bool has_more = wanted.size() > page.limit;
  if (has_more) wanted.resize(page.limit);
  json::array items;
  for (const fleet::RunPtr& run : wanted) {
    CO_ASSIGN_OR_RETURN(auto document, co_await run_document(sandbox->id(), run, kListedBytes));
    items.push_back(std::move(document));
  }
  const auto next = has_more ? std::optional(wanted.back()->id().text()) : std::nullopt;
  auto document = page_document(std::move(items), next);
  co_return co_await call->reply(200, std::move(document));
}

}  // namespace

Routes execution_routes() {
  return {
      {"POST", "/v1/sandboxes/{sandbox}/executions", Access::kUse, Body::kJson, execute},
      {"GET",
       "/v1/sandboxes/{sandbox}/executions",
       Access::kRead,
       Body::kNone,
       list,
       {"kind", "state", "context", "limit", "cursor"}},
      {"GET", "/v1/sandboxes/{sandbox}/executions/{execution}", Access::kRead, Body::kNone, get},
      {"DELETE", "/v1/sandboxes/{sandbox}/executions/{execution}", Access::kUse, Body::kNone, cancel},
      {"GET",
       "/v1/sandboxes/{sandbox}/executions/{execution}/events",
       Access::kRead,
       Body::kNone,
       events,
       {"after"}},
      {"POST", "/v1/sandboxes/{sandbox}/commands", Access::kUse, Body::kJson, run_command},
      {"POST", "/v1/execute", Access::kUse, Body::kJson, execute_once},
  };
}

}  // namespace api
