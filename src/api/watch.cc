#include <boost/json/serialize.hpp>

#include "api/file_handlers.h"
#include "api/file_words.h"
#include "api/sandbox_of.h"

namespace api {

namespace {

using base::Code;
using wire::file::Change;
using wire::file::Changed;

std::string_view name_of(Change change) {
  switch (change) {
    case Change::kWatching:
      return "watching";
    case Change::kCreated:
      return "created";
    case Change::kModified:
      return "modified";
    case Change::kAttributes:
      return "attributes";
    case Change::kRemoved:
      return "removed";
    case Change::kOverflow:
      return "overflow";
  }
  return "overflow";
}

std::string event_of(const Changed& changed) {
  boost::json::object document{{"type", name_of(changed.change)}};
  put_path(document, changed.path);
  document["is_directory"] = changed.is_directory != 0;
  return http::sse_event({.name = name_of(changed.change), .data = boost::json::serialize(document)});
}

// A silent stream says something now and then: proxies keep it, and a client that has gone is noticed.
io::Deadline next_breath() { return io::Clock::now() + std::chrono::seconds(15); }

io::Task<> tell_changes(CallPtr call, fleet::SandboxPtr sandbox, fleet::FileWatch watch) {
  http::Exchange& exchange = call->exchange();
  while (true) {
    const auto changed = co_await watch.next(next_breath());
    const bool is_silent = !changed && changed.error().code == Code::kTimeout;
    // What was watched has gone, or the sandbox with it.
    const bool is_over = changed ? !changed->has_value() : sandbox->end_cause().has_value();
    if (is_over) co_return co_await exchange.finish();
    if (!changed && !is_silent) co_return std::unexpected(changed.error());
    const std::string said = is_silent ? http::sse_comment("") : event_of(**changed);
    CO_RETURN_IF_ERROR(co_await exchange.send(said));
  }
}

}  // namespace

io::Task<> watch_directory(CallPtr call) {
  CO_ASSIGN_OR_RETURN(const auto sandbox, co_await sandbox_of(call));
  wire::file::Watch request;
  CO_ASSIGN_OR_RETURN(request.path, queried_path(*call, *sandbox));
  CO_ASSIGN_OR_RETURN(const bool tree, call->truth("recursive", false));
  request.tree = tree ? 1 : 0;
  CO_ASSIGN_OR_RETURN(auto watch, fleet::watch(sandbox, request));
  // The answer begins when nothing is missed any more; what fails before has a status of its own.
  CO_ASSIGN_OR_RETURN(const auto watching, told(co_await watch.next(soon())));
  if (!watching) co_return base::fail(Code::kNotFound, text_of_path(request.path) + " has gone");
  http::Response head = http::response_of(200, "text/event-stream", {});
  CO_RETURN_IF_ERROR(co_await call->exchange().begin(std::move(head)));
  const std::string event = event_of(*watching);
  CO_RETURN_IF_ERROR(co_await call->exchange().send(event));
  co_return co_await tell_changes(call, sandbox, std::move(watch));
}

}  // namespace api
