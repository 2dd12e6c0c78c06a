#include "api/run_stream.h"

#include <boost/json/serialize.hpp>

#include "http/target.h"

namespace api {

namespace {

namespace json = boost::json;
using fleet::EventKind;

constexpr std::size_t kPiece = 256 << 10;
constexpr std::chrono::seconds kSilence{15};

// Where the events go. What it returns ends the stream when it fails.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual io::Task<> tell(json::object event) = 0;
  virtual io::Task<> keep_alive() = 0;
};

class SseSink : public Sink {
 public:
  explicit SseSink(http::Exchange& exchange) : exchange_(exchange) {}

  io::Task<> tell(json::object event) override {
    const std::string id = std::to_string(event["number"].as_uint64());
    const std::string name(event["type"].as_string());
    const std::string data = json::serialize(event);
    const std::string text = http::sse_event({.id = id, .name = name, .data = data});
    co_return co_await exchange_.send(text);
  }
  io::Task<> keep_alive() override {
    const std::string text = http::sse_comment("");
    co_return co_await exchange_.send(text);
  }

 private:
  http::Exchange& exchange_;
};

// Pings are the socket's own business.
class SocketSink : public Sink {
 public:
  explicit SocketSink(std::shared_ptr<http::WebSocket> socket) : socket_(std::move(socket)) {}

  io::Task<> tell(json::object event) override {
    const std::string text = json::serialize(event);
    co_return co_await socket_->send(http::WebSocket::Kind::kText, text);
  }
  io::Task<> keep_alive() override { co_return Result<>(); }

 private:
  std::shared_ptr<http::WebSocket> socket_;
};

io::Task<> pour(fleet::RunPtr run, std::uint64_t after, Sink& sink, AtEnd at_end) {
  EventDocuments documents(run);
  while (true) {
    const io::Deadline until = io::Clock::now() + kSilence;
    CO_ASSIGN_OR_RETURN(const auto events, co_await run->after(after, kPiece, until));
    if (events.empty() && run->is_over()) co_return Result<>();
    if (events.empty()) CO_RETURN_IF_ERROR(co_await sink.keep_alive());
    for (const fleet::Event& event : events) {
      after = event.number;
      json::object document = documents.of(event);
      if (event.kind == EventKind::kEnded && at_end) {
        CO_ASSIGN_OR_RETURN(const auto more, co_await at_end());
        for (const auto& [name, value] : more) document[name] = value;
      }
      CO_RETURN_IF_ERROR(co_await sink.tell(std::move(document)));
    }
  }
}

Result<std::uint64_t> first_wanted(const Call& call) {
  if (const auto after = call.query("after")) return http::parse_number(*after, "after");
  const auto last = call.exchange().header("Last-Event-ID");
  return last ? http::parse_number(*last, "Last-Event-ID") : Result<std::uint64_t>(0);
}

io::Task<> pour_into_sse(CallPtr call, fleet::RunPtr run, std::uint64_t after, AtEnd at_end) {
  http::Response head{.status = 200, .headers = {{"Content-Type", "text/event-stream"}}};
  CO_RETURN_IF_ERROR(co_await call->exchange().begin(std::move(head)));
  SseSink sink(call->exchange());
  CO_RETURN_IF_ERROR(co_await pour(std::move(run), after, sink, std::move(at_end)));
  co_return co_await call->exchange().finish();
}

io::Task<> pour_into_socket(CallPtr call, fleet::RunPtr run, std::uint64_t after) {
  CO_ASSIGN_OR_RETURN(const auto socket, co_await call->exchange().upgrade());
  SocketSink sink(socket);
  CO_RETURN_IF_ERROR(co_await pour(std::move(run), after, sink, nullptr));
  co_return co_await socket->close(1000, "ended");
}

}  // namespace

io::Task<> stream_events(CallPtr call, fleet::RunPtr run) {
  CO_ASSIGN_OR_RETURN(const auto after, first_wanted(*call));
  if (call->exchange().wants_upgrade()) co_return co_await pour_into_socket(call, std::move(run), after);
  co_return co_await pour_into_sse(call, std::move(run), after, nullptr);
}

io::Task<> stream_run(CallPtr call, fleet::RunPtr run, AtEnd at_end) {
  co_return co_await pour_into_sse(call, std::move(run), 0, std::move(at_end));
}

}  // namespace api
