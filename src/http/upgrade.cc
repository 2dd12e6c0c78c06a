#include "http/upgrade.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "base/utf8.h"
#include "http/tls_stream.h"
#include "io/bell.h"

namespace http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

std::unexpected<base::Error> lost(const boost::system::error_code& error) {
  return base::fail(base::Code::kUnavailable, "the client is gone: " + error.message());
}

// The longest beginning that a close frame has room for, in whole characters.
std::string_view close_reason_of(std::string_view text) {
  constexpr std::size_t kMost = 123;
  std::size_t size = 0;
  while (size < text.size()) {
    const auto c = base::first_character(text.substr(size));
    if (c.kind != base::Utf8::Kind::kWhole || size + c.size > kMost) break;
    size += c.size;
  }
  return text.substr(0, size);
}

// Next is a plain socket or one with TLS, and belongs to the channel.
template <class Next>
class BeastSocket final : public WebSocket {
 public:
  BeastSocket(io::Loop& loop, std::shared_ptr<Channel> channel, Next& next)
      : channel_(std::move(channel)), socket_(next), turn_(loop) {}

  io::Task<> accept(const Head& head, UpgradeFacts facts);
  io::Task<Message> receive() override;
  io::Task<> send(Kind kind, std::string_view bytes) override;
  io::Task<> close(std::uint16_t code, std::string_view reason) override;

 private:
  // Whoever sends has it, however the sending ends.
  struct Turn {
    explicit Turn(BeastSocket& of) : socket(of) { socket.is_sending_ = true; }
    ~Turn() {
      socket.is_sending_ = false;
      socket.channel_->write_by(Channel::kNever);
      socket.turn_.ring();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    BeastSocket& socket;
  };

  std::shared_ptr<Channel> channel_;
  websocket::stream<Next&, false> socket_;
  beast::flat_buffer buffer_;
  io::Bell turn_;
  bool is_sending_ = false;
};

template <class Next>
io::Task<> BeastSocket<Next>::accept(const Head& head, UpgradeFacts facts) {
  const Limits& limits = channel_->limits();
  websocket::stream_base::timeout timeouts{};
  timeouts.handshake_timeout = limits.head_deadline;
  timeouts.idle_timeout = limits.web_socket_idle;
  timeouts.keep_alive_pings = true;
  socket_.set_option(timeouts);
  socket_.set_option(websocket::stream_base::decorator([facts](websocket::response_type& response) {
    response.set("X-Request-Id", facts.request_id);
    if (!facts.subprotocol.empty()) response.set("Sec-WebSocket-Protocol", facts.subprotocol);
  }));
  socket_.read_message_max(limits.web_socket_message_bytes);
  socket_.auto_fragment(false);
  beast::http::request<beast::http::empty_body> request(beast::http::verb::get, head.target.raw, 11);
  for (const Header& header : head.headers) request.insert(header.name, header.value);
  const auto [failed] = co_await socket_.async_accept(request, kAwait);
  if (failed) co_return lost(failed);
  co_return base::Result<>();
}

template <class Next>
io::Task<WebSocket::Message> BeastSocket<Next>::receive() {
  buffer_.clear();
  const auto [failed, size] = co_await socket_.async_read(buffer_, kAwait);
  if (failed) co_return lost(failed);
  const auto bytes = buffer_.cdata();
  Message message{socket_.got_text() ? Kind::kText : Kind::kBinary,
                  std::string(static_cast<const char*>(bytes.data()), bytes.size())};
  if (buffer_.capacity() > (64 << 10)) buffer_ = {};
  co_return message;
}

template <class Next>
io::Task<> BeastSocket<Next>::send(Kind kind, std::string_view bytes) {
  while (is_sending_) CO_RETURN_IF_ERROR(co_await turn_.wait());
  const Turn turn(*this);
  const Limits& limits = channel_->limits();
  const auto for_size =
      std::chrono::seconds(bytes.size() / std::max<std::size_t>(limits.bytes_per_second, 1));
  channel_->write_by(io::Clock::now() + limits.patience + for_size);
  socket_.text(kind == Kind::kText);
  const auto [failed, size] = co_await socket_.async_write(asio::buffer(bytes), kAwait);
  if (failed) co_return lost(failed);
  co_return base::Result<>();
}

template <class Next>
io::Task<> BeastSocket<Next>::close(std::uint16_t code, std::string_view reason) {
  const websocket::close_reason why(static_cast<websocket::close_code>(code), close_reason_of(reason));
  const auto [failed] = co_await socket_.async_close(why, kAwait);
  if (failed) co_return lost(failed);
  co_return base::Result<>();
}

template <class Next>
io::Task<std::shared_ptr<WebSocket>> accepted(std::shared_ptr<BeastSocket<Next>> socket, const Head& head,
                                              UpgradeFacts facts) {
  CO_RETURN_IF_ERROR(co_await socket->accept(head, std::move(facts)));
  co_return socket;
}
}  // namespace

std::optional<Problem> find_fault(const Head& head) {
  if (!head.wants_web_socket || head.header("sec-websocket-version") != "13")
    return Problem{426, "upgrade_required", "this is served by WebSocket, version 13",
                   "send the headers of a WebSocket handshake"};
  if (head.method != "GET" || head.has_body())
    return Problem{400, "bad_request", "a WebSocket is asked for by GET, without a body"};
  // 16 bytes in base64.
  const auto key = head.header("sec-websocket-key");
  if (!key || key->size() != 24 || !key->ends_with("=="))
    return Problem{400, "bad_request", "Sec-WebSocket-Key is 16 bytes in base64"};
  return std::nullopt;
}

io::Task<std::shared_ptr<WebSocket>> open_web_socket(io::Loop& loop, std::shared_ptr<Channel> channel,
                                                     const Head& head, UpgradeFacts facts) {
  Stream& stream = channel->stream();
  if (stream.is_encrypted()) {
    auto& tls = static_cast<TlsStream&>(stream).tls();
    auto socket = std::make_shared<BeastSocket<asio::ssl::stream<Socket>>>(loop, std::move(channel), tls);
    return accepted(std::move(socket), head, std::move(facts));
  }
  auto socket = std::make_shared<BeastSocket<Socket>>(loop, std::move(channel), stream.socket());
  return accepted(std::move(socket), head, std::move(facts));
}

}  // namespace http
