#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/clock.h"
#include "api/fields.h"
#include "api/program.h"
#include "api/routes.h"
#include "api/run_document.h"
#include "api/run_page.h"
#include "api/run_stream.h"
#include "api/sandbox_of.h"
#include "api/sandbox_wish.h"
#include "api/signals.h"
#include "api/until_gone.h"

namespace api {

namespace {

namespace json = boost::json;
using base::Code;

constexpr std::chrono::hours kLongest{24};
constexpr double kMaxWait = 600;
constexpr double kUsualWait = 60;
// How long a process may read nothing of what it is given.
constexpr std::chrono::minutes kMaxUnread{10};

bool is_process(const fleet::Run& run) {
  return run.facts().kind == fleet::RunKind::kCommand && !run.facts().has_terminal;
}

json::object document_of(const fleet::Run& run) {
  const fleet::RunFacts& facts = run.facts();
  const fleet::Written written = run.written();
  json::object document{{"id", facts.id.text()},
                        {"argv", texts_document(facts.argv)},
                        {"cwd", text_document(facts.cwd)},
                        {"stdin", facts.has_input ? "stream" : "closed"},
                        {"state", run.is_over() ? "ended" : "running"},
                        {"cause", cause_document(run)},
                        {"exit_code", exit_code_document(run)},
                        {"signal", signal_document(run)},
                        {"stdout_bytes", written.out},
                        {"stderr_bytes", written.error},
                        {"created_at", text_of(to_time(facts.asked))},
                        {"ended_at", time_document(run.ended_at())}};
  document["pid"] = run.pid() ? json::value(*run.pid()) : json::value(nullptr);
  return document;
}

io::Task<fleet::RunPtr> process_of(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  const std::string& id = (*call)["process"];
  auto run = find_run(*sandbox, id);
  if (run && is_process(**run)) co_return run;
  if (!run && run.error().code != Code::kNotFound) co_return run;
  co_return base::fail(
      Code::kNotFound,
      fmt::format("there is no process {} in sandbox {}; GET …/processes lists them", id, sandbox->id()));
}

io::Task<> start(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  Fields fields(call->body());
  auto command = read_program(fields, *sandbox);
  command.timeout = read_timeout(*call, fields).value_or(kLongest);
  if (fields.choice("stdin", {"closed", "stream"}) == "stream") command.input = wire::init::Stdin::kStream;
  CO_RETURN_IF_ERROR(fields.check());
  CO_ASSIGN_OR_RETURN(const auto run, sandbox->start(command));
  CO_RETURN_IF_ERROR(co_await until_started(run));
  const auto location = fmt::format("/v1/sandboxes/{}/processes/{}", sandbox->id(), run->id().text());
  std::vector<http::Header> headers{{"Location", location}};
  co_return co_await call->reply(201, document_of(*run), std::move(headers));
}

io::Task<> list(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  const auto state = call->query("state");
  if (state && *state != "running" && *state != "ended") {
    co_return base::fail(Code::kInvalid, "'state' has to be running or ended");
  }
  const auto is_wanted = [&](const fleet::Run& run) {
    return is_process(run) && (!state || run.is_over() == (*state == "ended"));
  };
  CO_ASSIGN_OR_RETURN(const auto request, call->page());
  CO_ASSIGN_OR_RETURN(const auto page, page_of_runs(sandbox->runs(), request, is_wanted));
  json::array items;
  for (const auto& run : page.items) {
    items.push_back(document_of(*run));
    items.back().as_object()["argv"] = listed_argv(run->facts().argv);
  }
  co_return co_await call->reply(200, page_document(std::move(items), page.next));
}

io::Task<> get(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto run, co_await process_of(call));
  co_return co_await call->reply(200, document_of(*run));
}

io::Task<> kill_one(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto run, co_await process_of(call));
  CO_RETURN_IF_ERROR(co_await kill(run));
  co_return co_await call->reply(200, document_of(*run));
}

int read_signal(const Call& call, Fields& fields) {
  const auto* value = call.body().if_contains("signal");
  if (value == nullptr || !value->is_string()) {
    return static_cast<int>(fields.required("signal", fields.integer("signal", {1, 64})));
  }
  const auto number = signal_of(fields.text("signal", 16).value_or(""));
  if (!number) fields.refuse("signal", "is no name of a signal; TERM and SIGTERM are");
  return number.value_or(0);
}

io::Task<> signal_one(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto run, co_await process_of(call));
  Fields fields(call->body());
  const int number = read_signal(*call, fields);
  CO_RETURN_IF_ERROR(fields.check());
  CO_RETURN_IF_ERROR(run->signal(number));
  co_return co_await call->reply(200, document_of(*run));
}

bool is_bytes(std::optional<std::string_view> type) {
  return !type || type->substr(0, type->find(';')) == "application/octet-stream";
}

io::Task<> give_input(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto run, co_await process_of(call));
  CO_ASSIGN_OR_RETURN(const bool is_last, call->truth("close", false));
  if (!is_bytes(call->exchange().header("Content-Type"))) {
    co_return call->refuse(problem("unsupported_media_type", "input comes as it is",
                                   "send Content-Type: application/octet-stream"));
  }
  std::uint64_t taken = 0;
  while (true) {
    CO_ASSIGN_OR_RETURN(auto piece, co_await call->exchange().next_piece());
    if (piece.empty()) break;
    taken += piece.size();
    const io::Deadline until = io::Clock::now() + kMaxUnread;
    CO_RETURN_IF_ERROR(co_await run->input(std::move(piece), until));
  }
  if (is_last) CO_RETURN_IF_ERROR(run->close_input());
  co_return co_await call->reply(200, {{"bytes", taken}});
}

Result<std::chrono::milliseconds> time_to_wait(const Call& call) {
  const std::string text = call.query("timeout").value_or(std::to_string(kUsualWait));
  double seconds = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // Written so that what is no number fails.
  if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0 && seconds <= kMaxWait)) {
    return base::fail(Code::kInvalid, fmt::format("'timeout' has to be a number from 0 to {}", kMaxWait));
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

io::Task<> wait_for(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto run, co_await process_of(call));
  CO_ASSIGN_OR_RETURN(const auto time, time_to_wait(*call));
  CO_RETURN_IF_ERROR(co_await until_over_or_gone(call, run, io::Clock::now() + time));
  co_return co_await call->reply(200, document_of(*run));
}

io::Task<> events(CallPtr call) {
  CO_ASSIGN_OR_RETURN(auto run, co_await process_of(call));
  co_return co_await stream_events(call, std::move(run));
}

}  // namespace

Routes process_routes() {
  constexpr std::string_view kAll = "/v1/sandboxes/{sandbox}/processes";
  constexpr std::string_view kOne = "/v1/sandboxes/{sandbox}/processes/{process}";
  return {
      {"POST", kAll, Access::kUse, Body::kJson, start},
      {"GET", kAll, Access::kRead, Body::kNone, list, {"state", "limit", "cursor"}},
      {"GET", kOne, Access::kRead, Body::kNone, get},
      {"DELETE", kOne, Access::kUse, Body::kNone, kill_one},
      {"POST", "/v1/sandboxes/{sandbox}/processes/{process}/signal", Access::kUse, Body::kJson, signal_one},
      {"POST",
       "/v1/sandboxes/{sandbox}/processes/{process}/input",
       Access::kUse,
       Body::kRaw,
       give_input,
       {"close"}},
      {"GET",
       "/v1/sandboxes/{sandbox}/processes/{process}/wait",
       Access::kRead,
       Body::kNone,
       wait_for,
       {"timeout"}},
      {"GET",
       "/v1/sandboxes/{sandbox}/processes/{process}/events",
       Access::kRead,
       Body::kNone,
       events,
       {"after"}},
  };
}

}  // namespace api
