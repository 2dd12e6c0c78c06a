#include "api/terminal_view.h"

#include <boost/json/serialize.hpp>

#include "api/fields.h"
#include "api/run_document.h"
#include "api/strict_json.h"

namespace api {

namespace {

namespace json = boost::json;
using base::Code;
using fleet::EventKind;
using Kind = http::WebSocket::Kind;
using ViewPtr = std::shared_ptr<TerminalView>;

constexpr std::size_t kPiece = 256 << 10;
constexpr std::size_t kMaxWords = 1024;
// Nothing hangs on it: whoever looks in vain looks again.
constexpr std::chrono::minutes kLook{1};
// How long a terminal may take in nothing of what is typed.
constexpr std::chrono::seconds kMaxUnread{30};

// Of RFC 6455.
constexpr std::uint16_t kNormal = 1000;
constexpr std::uint16_t kPolicy = 1008;
constexpr std::uint16_t kFailure = 1011;
constexpr std::uint16_t kTryLater = 1013;

class Counted {
 public:
  explicit Counted(TerminalSeatPtr seat) : seat_(std::move(seat)) { ++seat_->viewers; }
  ~Counted() { --seat_->viewers; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  TerminalSeatPtr seat_;
};

std::string words_at_the_end(const fleet::Run& run) {
  return json::serialize(json::object{{"type", "ended"},
                                      {"cause", cause_document(run)},
                                      {"exit_code", exit_code_document(run)},
                                      {"signal", signal_document(run)}});
}

std::string words_of_size(wire::init::Window window) {
  return json::serialize(
      json::object{{"type", "resized"}, {"rows", window.rows}, {"columns", window.columns}});
}

// Output, from the first byte that the client lacks, to the end.
io::Task<> show_output(ViewPtr view) {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  while (true) {
    const io::Deadline until = io::Clock::now() + kLook;
    CO_ASSIGN_OR_RETURN(const auto events, co_await view->run->after(number, kPiece, until));
    if (events.empty() && view->run->is_over()) co_return Result<>();
    // The beginning of a long one is not kept; nor is what a slow client leaves lying.
    if (!events.empty() && events.front().number != number + 1) offset = view->run->log().forgotten();
    for (const fleet::Event& event : events) {
      number = event.number;
      if (event.kind != EventKind::kStdout) continue;
      const std::uint64_t known = view->offset > offset ? view->offset - offset : 0;
      offset += event.bytes.size();
      if (known >= event.bytes.size()) continue;
      const std::string_view news = std::string_view(event.bytes).substr(known);
      CO_RETURN_IF_ERROR(co_await view->socket->send(Kind::kBinary, news));
    }
  }
}

io::Task<> show(ViewPtr view) {
  const auto shown = co_await show_output(view);
  if (!shown) {
    (void)co_await view->socket->close(kFailure, "the output cannot be shown");
    co_return shown;
  }
  const std::string words = words_at_the_end(*view->run);
  CO_RETURN_IF_ERROR(co_await view->socket->send(Kind::kText, words));
  co_return co_await view->socket->close(kNormal, "ended");
}

io::Task<> tell_sizes(ViewPtr view) {
  std::uint64_t told = view->seat->resizes;
  while (true) {
    while (view->seat->resizes == told) CO_RETURN_IF_ERROR(co_await view->seat->resized.wait());
    told = view->seat->resizes;
    const std::string words = words_of_size(view->seat->window);
    CO_RETURN_IF_ERROR(co_await view->socket->send(Kind::kText, words));
  }
}

// Of one that has ended there is nothing to write to; its end is told elsewhere.
Result<> unless_ended(Result<> done) {
  if (!done && done.error().code == Code::kConflict) return {};
  return done;
}

io::Task<> obey(ViewPtr view, http::WebSocket::Message message) {
  if (message.kind == Kind::kBinary) {
    const io::Deadline until = io::Clock::now() + kMaxUnread;
    co_return unless_ended(co_await view->run->input(std::move(message.bytes), until));
  }
  CO_ASSIGN_OR_RETURN(const auto window, parse_resize(message.bytes));
  co_return unless_ended(resize(*view->run, *view->seat, window));
}

io::Task<> listen(ViewPtr view) {
  while (true) {
    auto message = co_await view->socket->receive();
    if (!message) co_return Result<>();
    const auto done = co_await obey(view, *std::move(message));
    if (done) continue;
    const bool is_wrong = done.error().code == Code::kInvalid;
    const std::string why = is_wrong ? done.error().message.substr(0, 120) : "the terminal takes no input";
    co_return co_await view->socket->close(is_wrong ? kPolicy : kTryLater, why);
  }
}

}  // namespace

io::Task<> sit(io::Loop& loop, TerminalView view) {
  const auto shared = std::make_shared<TerminalView>(std::move(view));
  const Counted counted(shared->seat);
  // What fails there fails because the client is gone, and listen() hears of that.
  io::TaskGroup sides(loop, [](std::string_view, const base::Error&) {});
  sides.spawn("show", show(shared));
  sides.spawn("sizes", tell_sizes(shared));
  const auto heard = co_await listen(shared);
  CO_RETURN_IF_ERROR(co_await sides.close());
  co_return heard;
}

Result<wire::init::Window> parse_resize(std::string_view text) {
  if (text.size() > kMaxWords) return base::fail(Code::kInvalid, "a text message is too long");
  ASSIGN_OR_RETURN(const auto object, parse_object(text));
  Fields fields(object);
  (void)fields.required("type", fields.choice("type", {"resize"}));
  const auto window = read_window(fields, std::nullopt);
  RETURN_IF_ERROR(fields.check());
  return window;
}

wire::init::Window read_window(Fields& fields, std::optional<wire::init::Window> otherwise) {
  constexpr Fields::Range kRange{1, 1000};
  auto rows = fields.integer("rows", kRange);
  auto columns = fields.integer("columns", kRange);
  if (otherwise) {
    rows = rows.value_or(otherwise->rows);
    columns = columns.value_or(otherwise->columns);
  }
  return {.rows = static_cast<std::uint16_t>(fields.required("rows", rows)),
          .columns = static_cast<std::uint16_t>(fields.required("columns", columns))};
}

Result<> resize(fleet::Run& run, TerminalSeat& seat, wire::init::Window window) {
  RETURN_IF_ERROR(run.resize(window));
  seat.window = window;
  ++seat.resizes;
  seat.resized.ring();
  return {};
}

}  // namespace api
