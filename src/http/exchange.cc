#include "http/exchange.h"

#include "http/connection.h"

namespace http {

std::string_view Exchange::method() const { return request_.head.method; }
std::string_view Exchange::target() const { return request_.head.target.raw; }
std::string_view Exchange::raw_path() const { return request_.head.target.raw_path; }
const std::vector<std::string>& Exchange::segments() const { return request_.head.target.segments; }
std::optional<std::string> Exchange::query(std::string_view name) const {
  return query_value(request_.head.target, name);
}
const std::vector<std::pair<std::string, std::string>>& Exchange::query_all() const {
  return request_.head.target.query;
}
base::Result<> Exchange::check_query(std::span<const std::string_view> known) const {
  return http::check_query(request_.head.target, known);
}
std::optional<std::string_view> Exchange::header(std::string_view name) const {
  return request_.head.header(name);
}
const std::vector<Header>& Exchange::headers() const { return request_.head.headers; }
const std::string& Exchange::request_id() const { return request_.answer.request_id(); }
const Host& Exchange::host() const { return request_.host; }
std::string_view Exchange::peer() const { return connection_.peer(); }
bool Exchange::is_encrypted() const { return connection_.is_encrypted(); }

bool Exchange::has_body() const { return request_.head.has_body(); }
std::optional<std::uint64_t> Exchange::content_length() const { return request_.head.content_length; }

io::Task<std::string> Exchange::whole_body(std::size_t most) {
  const auto too_large = [&] {
    return base::fail(base::Code::kExhausted, "the body is larger than " + std::to_string(most) + " bytes");
  };
  if (content_length().value_or(0) > most) co_return too_large();
  std::string body;
  while (true) {
    CO_ASSIGN_OR_RETURN(const std::string piece, co_await next_piece());
    if (piece.empty()) co_return body;
    if (piece.size() > most - body.size()) co_return too_large();
    body += piece;
  }
}

io::Task<std::string> Exchange::next_piece() { return request_.body.next(); }

io::Task<> Exchange::reply(Response response) {
  connection_.before_answer(request_);
  return request_.answer.whole(std::move(response));
}

io::Task<> Exchange::begin(Response head, std::optional<std::uint64_t> length) {
  connection_.before_answer(request_);
  return request_.answer.begin(std::move(head), length);
}

io::Task<> Exchange::send(std::string_view bytes) { return request_.answer.send(bytes); }
io::Task<> Exchange::finish() { return request_.answer.finish(); }
bool Exchange::has_begun() const { return request_.answer.has_begun(); }
unsigned Exchange::status() const { return request_.answer.status(); }

io::Task<> Exchange::until_gone() { return connection_.until_gone(); }

bool Exchange::wants_upgrade() const { return request_.head.wants_web_socket; }
std::vector<std::string> Exchange::subprotocols() const {
  return list_header(request_.head, "sec-websocket-protocol");
}
io::Task<std::shared_ptr<WebSocket>> Exchange::upgrade(std::string_view subprotocol) {
  return connection_.upgrade(request_, std::string(subprotocol));
}
io::Task<Tunnel> Exchange::tunnel(std::vector<Header> headers) {
  return connection_.tunnel(request_, std::move(headers));
}

}  // namespace http
