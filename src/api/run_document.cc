#include "api/run_document.h"

#include <map>

#include "api/base64.h"
#include "api/clock.h"
#include "engine/bundle.h"

namespace api {

namespace {

namespace json = boost::json;
using fleet::EventKind;

constexpr std::size_t kPiece = 1 << 20;

// What a runtime says may be anything; these are of the form that the contract has.
json::object object_in(const json::object& head, std::string_view name) {
  const auto* value = head.if_contains(name);
  return value != nullptr && value->is_object() ? value->get_object() : json::object();
}

std::string text_in(const json::object& head, std::string_view name) {
  const auto* value = head.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

json::value text_or_null_in(const json::object& head, std::string_view name) {
  const auto* value = head.if_contains(name);
  return value != nullptr && value->is_string() ? *value : json::value(nullptr);
}

// Text stays text, JSON stays JSON, bytes become base64.
json::object data_of(const engine::Bundle& bundle) {
  json::object data = object_in(bundle.head(), "data");
  for (auto& [mime, value] : data) {
    if (const auto bytes = bundle.bytes_of(value)) value = base64(*bytes);
  }
  return data;
}

json::object error_of(const json::object& head) {
  return {{"name", text_in(head, "name")},
          {"value", text_in(head, "value")},
          {"traceback", text_in(head, "traceback")}};
}

json::object rich_document(EventKind kind, const engine::Bundle& bundle) {
  const json::object& head = bundle.head();
  if (kind == EventKind::kError) return error_of(head);
  if (kind == EventKind::kNotice) return {{"text", text_in(head, "text")}};
  if (kind == EventKind::kClearOutput) {
    const auto* wait = head.if_contains("wait");
    return {{"wait", wait != nullptr && wait->is_bool() && wait->get_bool()}};
  }
  json::object document{{"data", data_of(bundle)}, {"metadata", object_in(head, "metadata")}};
  if (kind != EventKind::kResult) document["display_id"] = text_or_null_in(head, "display_id");
  const auto* count = head.if_contains("execution_count");
  if (kind == EventKind::kResult && count != nullptr && count->is_int64())
    document["execution_count"] = *count;
  return document;
}

// What a run has told, put together as a notebook shows it.
class Told {
 public:
  void hear(const fleet::Event& event) {
    if (event.kind == EventKind::kStdout) out_ += out_text_.take(event.bytes);
    if (event.kind == EventKind::kStderr) error_ += error_text_.take(event.bytes);
    const bool is_rich = event.kind != EventKind::kStarted && event.kind != EventKind::kEnded &&
                         event.kind != EventKind::kStdout && event.kind != EventKind::kStderr;
    if (!is_rich) return;
    if (const auto bundle = engine::Bundle::parse(event.bytes)) hear_rich(event.kind, *bundle);
  }

  void put_into(json::object& document) {
    document["stdout"] = out_ + out_text_.rest();
    document["stderr"] = error_ + error_text_.rest();
    document["results"] = std::move(results_);
    document["error"] = raised_ ? json::value(*std::move(raised_)) : json::value(nullptr);
    document["notices"] = std::move(notices_);
  }

 private:
  void hear_rich(EventKind kind, const engine::Bundle& bundle) {
    if (kind == EventKind::kError) {
      raised_ = error_of(bundle.head());
    } else if (kind == EventKind::kNotice) {
      notices_.emplace_back(text_in(bundle.head(), "text"));
    } else if (kind == EventKind::kClearOutput) {
      clear();
    } else {
      show(kind, bundle);
    }
  }

  // Everything that was shown, written or displayed.
  void clear() {
    out_.clear();
    error_.clear();
    results_.clear();
    displays_.clear();
  }

  void show(EventKind kind, const engine::Bundle& bundle) {
    const std::string id = text_in(bundle.head(), "display_id");
    json::object result{{"data", data_of(bundle)},
                        {"metadata", object_in(bundle.head(), "metadata")},
                        {"main", kind == EventKind::kResult}};
    const auto shown = displays_.find(id);
    if (kind == EventKind::kUpdateDisplay && !id.empty()) {
      if (shown != displays_.end()) results_[shown->second] = std::move(result);
      return;
    }
    if (!id.empty()) displays_[id] = results_.size();
    results_.push_back(std::move(result));
  }

  base::TextOfBytes out_text_;
  base::TextOfBytes error_text_;
  std::string out_;
  std::string error_;
  json::array results_;
  std::optional<json::object> raised_;
  json::array notices_;
  std::map<std::string, std::size_t> displays_;
};

json::array texts(const std::vector<std::string>& list) {
  json::array array;
  for (const std::string& text : list) {
    base::TextOfBytes whole;
    std::string shown = whole.take(text);
    array.emplace_back(shown + whole.rest());
  }
  return array;
}

std::string_view state_name(fleet::RunState state) {
  switch (state) {
    case fleet::RunState::kWaiting:
      return "waiting";
    case fleet::RunState::kRunning:
      return "running";
    case fleet::RunState::kEnded:
      break;
  }
  return "ended";
}

json::object facts_document(const std::string& sandbox, const fleet::Run& run) {
  const fleet::RunFacts& facts = run.facts();
  const bool is_cell = facts.kind == fleet::RunKind::kCell;
  json::object document{{"id", facts.id.text()},
                        {"sandbox", sandbox},
                        {"kind", is_cell ? "code" : "command"},
                        {"state", state_name(run.state())},
                        {"cause", cause_document(run)},
                        {"exit_code", exit_code_document(run)},
                        {"signal", signal_document(run)},
                        {"outputs", json::array()},
                        {"created_at", text_of(to_time(facts.asked))},
                        {"started_at", time_document(run.started_at())},
                        {"ended_at", time_document(run.ended_at())}};
  document["language"] = is_cell ? json::value(facts.language) : json::value(nullptr);
  document["context"] = facts.context ? json::value(facts.context->text()) : json::value(nullptr);
  document["argv"] = is_cell ? json::value(nullptr) : json::value(texts(facts.argv));
  document["receipt"] =
      run.ending() ? json::value(receipt_document(run.ending()->outcome)) : json::value(nullptr);
  return document;
}

}  // namespace

json::value cause_document(const fleet::Run& run) {
  if (!run.ending()) return nullptr;
  return json::value(base::name_of(run.ending()->outcome.cause));
}

json::value exit_code_document(const fleet::Run& run) {
  if (!run.ending()) return nullptr;
  return run.ending()->outcome.exit_code;
}

json::value signal_document(const fleet::Run& run) {
  if (!run.ending() || run.ending()->outcome.signal == 0) return nullptr;
  return run.ending()->outcome.signal;
}

json::value time_document(const std::optional<fleet::Run::Time>& time) {
  return time ? json::value(text_of(to_time(*time))) : json::value(nullptr);
}

json::object receipt_document(const engine::Outcome& outcome) {
  json::array limits;
  for (const base::Limit limit : base::kAllLimits) {
    if ((outcome.limits_hit & base::bit(limit)) != 0) limits.emplace_back(base::name_of(limit));
  }
  return {{"wall_us", outcome.usage.wall_us},
          {"cpu_us", outcome.usage.cpu_us},
          {"peak_memory_bytes", outcome.usage.peak_memory_bytes},
          {"output",
           {{"stdout_bytes", outcome.usage.stdout_bytes},
            {"stderr_bytes", outcome.usage.stderr_bytes},
            {"dropped_bytes", outcome.usage.dropped_bytes}}},
          {"limits_hit", std::move(limits)},
          {"files", nullptr},
          {"network", {{"tier", "restricted"}, {"attempts", json::array()}}}};
}

io::Task<json::object> run_document(std::string sandbox, fleet::RunPtr run, std::size_t most_bytes) {
  Told told;
  std::uint64_t last = 0;
  std::size_t heard = 0;
  while (heard < most_bytes) {
    const io::Deadline at_once = io::Clock::now();
    CO_ASSIGN_OR_RETURN(const auto events, co_await run->after(last, kPiece, at_once));
    if (events.empty()) break;
    for (const fleet::Event& event : events) {
      if (heard < most_bytes) told.hear(event);
      heard += event.bytes.size();
      last = event.number;
    }
  }
  json::object document = facts_document(sandbox, *run);
  told.put_into(document);
  co_return document;
}

json::object EventDocuments::of(const fleet::Event& event) {
  json::object document{{"number", event.number}, {"type", fleet::name_of(event.kind)}};
  if (event.kind == EventKind::kStarted) {
    document["execution"] = run_->id().text();
  } else if (event.kind == EventKind::kStdout) {
    document["text"] = out_.take(event.bytes);
  } else if (event.kind == EventKind::kStderr) {
    document["text"] = error_.take(event.bytes);
  } else if (event.kind == EventKind::kEnded) {
    document["cause"] = cause_document(*run_);
    document["exit_code"] = exit_code_document(*run_);
    document["signal"] = signal_document(*run_);
    if (run_->ending()) document["receipt"] = receipt_document(run_->ending()->outcome);
  } else if (const auto bundle = engine::Bundle::parse(event.bytes)) {
    for (auto& [name, value] : rich_document(event.kind, *bundle)) document[name] = std::move(value);
  }
  return document;
}

}  // namespace api
