#pragma once

#include <functional>

#include "api/run_document.h"

namespace api {

// Answers with the events of a run, from the one that the request asks for (`after`, or Last-Event-ID) to the
// end: as server-sent events, or over a WebSocket when the request asks for one. A client that goes ends the
// answer, not the run.
io::Task<> stream_events(CallPtr call, fleet::RunPtr run);

// The same for the request that started the run; `at_end` adds to the last event.
using AtEnd = std::function<io::Task<boost::json::object>()>;
io::Task<> stream_run(CallPtr call, fleet::RunPtr run, AtEnd at_end);

}  // namespace api
