#include <fmt/format.h>

#include <ranges>

#include "api/clock.h"
#include "api/program.h"
#include "api/routes.h"
#include "api/run_document.h"
#include "api/run_page.h"
#include "api/sandbox_of.h"
#include "api/sandbox_wish.h"
#include "api/terminal_view.h"
#include "engine/runtime_environment.h"

namespace api {

namespace {

namespace json = boost::json;
using base::Code;

// What a JavaScript client counts without loss.
constexpr std::uint64_t kMaxOffset = (std::uint64_t{1} << 53) - 1;

struct Terminal {
  fleet::RunPtr run;
  TerminalSeatPtr seat;
};

TerminalSeatPtr seat_of(const CallPtr& call, const fleet::RunPtr& run) {
  return call->services().terminals.of(call->services().loop, run);
}

json::object document_of(const fleet::Run& run, const TerminalSeat& seat) {
  const fleet::RunFacts& facts = run.facts();
  json::object document{{"id", facts.id.text()},
                        {"argv", texts_document(facts.argv)},
                        {"rows", seat.window.rows},
                        {"columns", seat.window.columns},
                        {"viewers", seat.viewers},
                        {"state", run.is_over() ? "ended" : "running"},
                        {"cause", cause_document(run)},
                        {"exit_code", exit_code_document(run)},
                        {"signal", signal_document(run)},
                        {"output_bytes", run.written().out},
                        {"created_at", text_of(to_time(facts.asked))},
                        {"ended_at", time_document(run.ended_at())}};
  document["pid"] = run.pid() ? json::value(*run.pid()) : json::value(nullptr);
  return document;
}

io::Task<Terminal> terminal_of(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  const std::string& id = (*call)["terminal"];
  auto run = find_run(*sandbox, id);
  if (run && (*run)->facts().has_terminal) co_return Terminal{.run = *run, .seat = seat_of(call, *run)};
  if (!run && run.error().code != Code::kNotFound) co_return std::unexpected(std::move(run).error());
  co_return base::fail(
      Code::kNotFound,
      fmt::format("there is no terminal {} in sandbox {}; GET …/terminals lists them", id, sandbox->id()));
}

io::Task<> open(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  Fields fields(call->body());
  auto command = read_program(fields, *sandbox, {"bash", "-l"});
  const auto window = read_window(fields, wire::init::Window());
  CO_RETURN_IF_ERROR(fields.check());
  const auto* env = call->body().if_contains("env");
  if (env == nullptr || !env->as_object().contains("TERM")) {
    engine::set_variables(command.environment, {"TERM=xterm-256color"});
  }
  command.terminal = window;
  command.output_cap = UINT64_MAX;  // the end of it is kept
  CO_ASSIGN_OR_RETURN(const auto run, sandbox->start(command));
  const auto seat = seat_of(call, run);
  seat->window = window;
  CO_RETURN_IF_ERROR(co_await until_started(run));
  const auto location = fmt::format("/v1/sandboxes/{}/terminals/{}", sandbox->id(), run->id().text());
  std::vector<http::Header> headers{{"Location", location}};
  co_return co_await call->reply(201, document_of(*run, *seat), std::move(headers));
}

io::Task<> list(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  json::array items;
  for (const auto& run : sandbox->runs() | std::views::reverse) {
    if (!run->facts().has_terminal) continue;
    items.push_back(document_of(*run, *seat_of(call, run)));
    items.back().as_object()["argv"] = listed_argv(run->facts().argv);
  }
  co_return co_await call->reply(200, page_document(std::move(items), std::nullopt));
}

io::Task<> get(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto terminal, co_await terminal_of(call));
  co_return co_await call->reply(200, document_of(*terminal.run, *terminal.seat));
}

io::Task<> hang_up(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto terminal, co_await terminal_of(call));
  CO_RETURN_IF_ERROR(co_await kill(terminal.run));
  co_return co_await call->reply(200, document_of(*terminal.run, *terminal.seat));
}

io::Task<> resize_one(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto terminal, co_await terminal_of(call));
  Fields fields(call->body());
  const auto window = read_window(fields, std::nullopt);
  CO_RETURN_IF_ERROR(fields.check());
  CO_RETURN_IF_ERROR(resize(*terminal.run, *terminal.seat, window));
  co_return co_await call->reply(200, document_of(*terminal.run, *terminal.seat));
}

io::Task<> attach(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto terminal, co_await terminal_of(call));
  CO_ASSIGN_OR_RETURN(const auto offset, call->number("offset", 0, kMaxOffset));
  if (!call->exchange().wants_upgrade()) {
    co_return call->refuse(problem("invalid_request", "a terminal is attached to by a WebSocket",
                                   "ask for an upgrade, as WebSocket clients do"));
  }
  CO_ASSIGN_OR_RETURN(auto socket, co_await call->exchange().upgrade());
  TerminalView view{.run = std::move(terminal.run),
                    .seat = std::move(terminal.seat),
                    .socket = std::move(socket),
                    .offset = offset};
  co_return co_await sit(call->services().loop, std::move(view));
}

}  // namespace

Routes terminal_routes() {
  constexpr std::string_view kAll = "/v1/sandboxes/{sandbox}/terminals";
  constexpr std::string_view kOne = "/v1/sandboxes/{sandbox}/terminals/{terminal}";
  return {
      {"POST", kAll, Access::kUse, Body::kOptionalJson, open},
      {"GET", kAll, Access::kRead, Body::kNone, list},
      {"GET", kOne, Access::kRead, Body::kNone, get},
      {"DELETE", kOne, Access::kUse, Body::kNone, hang_up},
      {"POST", "/v1/sandboxes/{sandbox}/terminals/{terminal}/resize", Access::kUse, Body::kJson, resize_one},
      {"GET",
       "/v1/sandboxes/{sandbox}/terminals/{terminal}/attach",
       Access::kUse,
       Body::kNone,
       attach,
       {"offset"}},
  };
}

}  // namespace api
