#include "http/connection.h"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/ids.h"
#include "http/upgrade.h"

namespace http {

namespace asio = boost::asio;

namespace {
constexpr std::size_t kReadAhead = 8 << 10;

std::unexpected<Problem> gone() { return std::unexpected(Problem{.status = 0}); }
std::string new_request_id() { return base::random_name(16); }
}  // namespace

Connection::Connection(std::unique_ptr<Stream> stream, std::string peer, Service& service)
    : channel_(std::make_shared<Channel>(std::move(stream), service.limits)),
      peer_(std::move(peer)),
      service_(service) {}

Connection::~Connection() {
  boost::system::error_code ignored;
  channel_->stream().socket().close(ignored);
}

io::Task<> Connection::run() {
  const auto by = Clock::now() + service_.limits.head_deadline;
  if (auto shaken = co_await channel_->handshake(by); !shaken) co_return base::Result<>();
  while (true) {
    auto head = co_await next_head();
    if (!head) {
      if (head.error().status == 0) co_return base::Result<>();
      if (auto told = co_await refuse(std::move(head).error()); !told) co_return base::Result<>();
      break;
    }
    const After after = co_await serve(*std::move(head));
    if (after == After::kGone) co_return base::Result<>();
    if (after == After::kLinger) break;
    is_first_ = false;
  }
  (void)co_await channel_->linger();  // whether the client went by itself changes nothing
  co_return base::Result<>();
}

std::optional<std::expected<Head, Problem>> Connection::take_head(std::size_t seen) {
  const auto& limits = service_.limits;
  const HeadScan scan = scan_head(channel_->buffered(), seen);
  const std::size_t size = scan.kind == HeadScan::Kind::kWhole ? scan.size : channel_->buffered().size();
  if (size > limits.head_bytes)
    return std::unexpected(
        Problem{431, "head_too_large",
                "the head of a request has at most " + std::to_string(limits.head_bytes) + " bytes"});
  if (scan.kind == HeadScan::Kind::kMalformed)
    return std::unexpected(Problem{400, "bad_request", "every line of a request ends with CR LF"});
  if (scan.kind == HeadScan::Kind::kMore) return std::nullopt;
  auto head = parse_head(channel_->buffered().substr(0, size), limits.header_count);
  channel_->consume(size);
  return head;
}

asio::awaitable<std::expected<Head, Problem>> Connection::next_head() {
  const auto& limits = service_.limits;
  channel_->shrink();
  received_before_ = channel_->received() - channel_->buffered().size();
  sent_before_ = channel_->sent();
  began_ = Clock::now();
  auto by = began_ + (is_first_ || !channel_->buffered().empty() ? limits.head_deadline : limits.idle);
  std::size_t seen = 0;
  while (true) {
    if (auto head = take_head(seen)) co_return *std::move(head);
    seen = channel_->buffered().size();
    is_idle_ = seen == 0;
    if (is_idle_ && service_.is_closing) co_return gone();
    const auto filled = co_await channel_->fill(kReadAhead, by);
    if (!filled && filled.error().code == base::Code::kTimeout && seen > 0)
      co_return std::unexpected(
          Problem{408, "request_timeout", "the head of the request did not come in time"});
    if (!filled) co_return gone();
    if (is_idle_) began_ = Clock::now();
    if (is_idle_ && !is_first_) by = began_ + limits.head_deadline;
    is_idle_ = false;
  }
}

void Connection::close_if_idle() {
  if (is_idle_) channel_->stream().cancel();
}

AnswerRules Connection::rules_for(const Head& head, const Host& host) const {
  return {.is_head_only = head.method == "HEAD",
          .minor_version = head.minor_version,
          .keeps_alive = head.keep_alive,
          .is_preview = !host.label.empty(),
          .request_id = new_request_id()};
}

asio::awaitable<Connection::After> Connection::serve(Head head) {
  auto admission = admit(service_.names, head.header("host").value_or(""), head.header("origin"));
  AnswerRules rules = rules_for(head, admission.host);
  const BodyReader body(*channel_, head);
  Request request{std::move(head), std::move(admission.host), body, Answer(*channel_, std::move(rules))};
  if (admission.refusal) {
    request.answer.close_afterwards();
    const auto told = co_await request.answer.whole(problem_response(*admission.refusal));
    log(request.head, request.answer, admission.refusal->message);
    co_return told ? After::kLinger : After::kGone;
  }
  Exchange exchange(*this, request);
  auto handled = co_await service_.handler(exchange);
  if (handled && !request.answer.has_begun())
    handled = base::fail(base::Code::kInternal, "the handler gave no answer");
  if (!handled && !request.answer.has_begun()) (void)co_await answer_failure(request, handled);
  log(request.head, request.answer, handled ? std::string_view{} : handled.error().message);
  co_return co_await after(request);
}

io::Task<> Connection::answer_failure(Request& request, const base::Result<>& handled) {
  Problem problem{500, "internal", "something went wrong inside the server",
                  "its log tells more under this request id: " + request.answer.request_id()};
  if (handled.error().code == base::Code::kTimeout && !request.body.is_done())
    problem = {408, "request_timeout", "the body of the request came too slowly"};
  before_answer(request);
  co_return co_await request.answer.whole(problem_response(problem));
}

asio::awaitable<Connection::After> Connection::after(Request& request) {
  if (is_upgraded_) co_return After::kGone;
  if (!request.answer.is_whole()) {
    channel_->stream().reset();
    co_return After::kGone;
  }
  if (!request.answer.keeps_alive() || !request.body.is_drainable()) co_return After::kLinger;
  const auto drained = co_await request.body.drain();
  co_return drained ? After::kNextRequest : After::kGone;
}

io::Task<> Connection::refuse(Problem problem) {
  const Head none;
  Answer answer(*channel_, {.keeps_alive = false, .request_id = new_request_id()});
  auto told = co_await answer.whole(problem_response(problem));
  log(none, answer, problem.message);
  co_return told;
}

void Connection::log(const Head& head, const Answer& answer, std::string_view error) const {
  if (!service_.log) return;
  AccessRecord record{
      .request_id = answer.request_id(), .method = head.method, .path = head.target.raw_path, .peer = peer_};
  record.status = answer.status();
  record.bytes_in = channel_->received() - channel_->buffered().size() - received_before_;
  record.bytes_out = channel_->sent() - sent_before_;
  record.took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began_);
  record.error = error;
  service_.log(record);
}

// A client that was told to keep the connection may use it at once; so whatever stands against that is known
// by now.
void Connection::before_answer(Request& request) const {
  if (service_.is_closing || !request.body.is_drainable()) request.answer.close_afterwards();
}

io::Task<> Connection::until_gone() {
  using namespace asio::experimental::awaitable_operators;
  while (!service_.is_closing) {
    if (is_upgraded_) co_return co_await service_.closing.wait();
    // Whoever sends on and on while the answer is on its way is not waiting for it.
    if (channel_->buffered().size() >= service_.limits.head_bytes) break;
    const auto which = co_await (channel_->fill(kReadAhead, Channel::kNever) || service_.closing.wait());
    if (which.index() == 1 || !std::get<0>(which)) break;
  }
  co_return base::Result<>();
}

io::Task<> Connection::check_upgrade(Request& request) const {
  auto wrong = find_fault(request.head);
  if (!wrong && !channel_->buffered().empty())
    wrong = Problem{400, "bad_request", "nothing may follow the request for a WebSocket before its answer"};
  if (!wrong) co_return base::Result<>();
  request.answer.close_afterwards();
  Response response = problem_response(*wrong);
  if (wrong->status == 426) response.headers.push_back({"Sec-WebSocket-Version", "13"});
  CO_RETURN_IF_ERROR(co_await request.answer.whole(std::move(response)));
  co_return base::fail(base::Code::kInvalid, wrong->message);
}

io::Task<std::shared_ptr<WebSocket>> Connection::upgrade(Request& request, std::string subprotocol) {
  CO_RETURN_IF_ERROR(co_await check_upgrade(request));
  is_upgraded_ = true;
  request.answer.handed_over();
  UpgradeFacts facts{.request_id = request.answer.request_id(), .subprotocol = std::move(subprotocol)};
  co_return co_await open_web_socket(service_.loop, channel_, request.head, std::move(facts));
}

io::Task<Tunnel> Connection::tunnel(Request& request, std::vector<Header> headers) {
  CO_RETURN_IF_ERROR(co_await check_upgrade(request));
  CO_RETURN_IF_ERROR(co_await request.answer.switch_protocols(std::move(headers)));
  is_upgraded_ = true;
  co_return Tunnel(channel_);
}

}  // namespace http
