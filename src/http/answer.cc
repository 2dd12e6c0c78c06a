#include "http/answer.h"

#include <array>
#include <charconv>
#include <ctime>

namespace http {

namespace asio = boost::asio;

namespace {
// Of the connection, not of the answer: nobody else may set them.
constexpr std::array<std::string_view, 7> kOurs = {
    "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "date", "x-request-id"};

std::string_view date_now() {
  // One loop thread; made anew once a second.
  thread_local std::time_t made_at = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now == made_at) return text;
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 64> line{};
  // The C locale is the program's: names of days and months are English.
  const auto size = std::strftime(line.data(), line.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  text.assign(line.data(), size);
  made_at = now;
  return text;
}

bool has_header(const Response& response, std::string_view name) {
  for (const Header& header : response.headers)
    if (same_word(header.name, name)) return true;
  return false;
}

bool is_json(const Response& response) {
  for (const Header& header : response.headers)
    if (same_word(header.name, "content-type")) return header.value.starts_with("application/json");
  return false;
}

// Whatever comes from elsewhere may not end a line of ours.
base::Result<> append_header(std::string& text, const Header& header) {
  for (const std::string_view ours : kOurs)
    if (same_word(header.name, ours)) return {};
  if (!is_token(header.name) || !is_field_value(header.value))
    return base::fail(base::Code::kInvalid, "an answer has a header that is not one line");
  text.append(header.name).append(": ").append(header.value).append("\r\n");
  return {};
}
}  // namespace

base::Result<std::string> Answer::head_text(const Response& response,
                                            std::optional<std::uint64_t> length) const {
  std::string text;
  text.reserve(512);
  text.append("HTTP/1.1 ")
      .append(std::to_string(response.status))
      .append(" ")
      .append(reason_of(response.status));
  text.append("\r\nDate: ")
      .append(date_now())
      .append("\r\nX-Request-Id: ")
      .append(rules_.request_id)
      .append("\r\n");
  for (const Header& header : response.headers) RETURN_IF_ERROR(append_header(text, header));
  if (!rules_.is_preview) {
    if (!has_header(response, "x-content-type-options")) text.append("X-Content-Type-Options: nosniff\r\n");
    if (is_json(response) && !has_header(response, "cache-control"))
      text.append("Cache-Control: no-store\r\n");
  }
  if (response.status != 204 && response.status != 304) {
    if (length) text.append("Content-Length: ").append(std::to_string(*length)).append("\r\n");
    if (!length && rules_.minor_version == 1) text.append("Transfer-Encoding: chunked\r\n");
  }
  if (!rules_.keeps_alive) text.append("Connection: close\r\n");
  return text += "\r\n";
}

base::Result<> Answer::start(unsigned status) {
  if (has_begun()) return base::fail(base::Code::kConflict, "the request is answered already");
  if (status < 200 || status > 599)
    return base::fail(base::Code::kInvalid, "an answer's status is from 200 to 599");
  is_bodyless_ = rules_.is_head_only || status == 204 || status == 304;
  return {};
}

// However a write ends, cancelled ones included, the client must not take what comes next for what was to
// follow.
io::Task<> Answer::write(Buffers buffers) {
  if (is_cut_)
    co_return base::fail(base::Code::kUnavailable, "an earlier part of the answer was not sent whole");
  is_cut_ = true;
  CO_RETURN_IF_ERROR(co_await channel_.write(buffers));
  is_cut_ = false;
  co_return base::Result<>();
}

io::Task<> Answer::whole(Response response) {
  CO_RETURN_IF_ERROR(start(response.status));
  CO_ASSIGN_OR_RETURN(std::string head, head_text(response, response.body.size()));
  state_ = State::kStreaming;
  status_ = response.status;
  std::string_view body = response.body;
  if (is_bodyless_) body = {};
  if (body.size() <= 4096) {
    head += body;
    body = {};
  }
  const Buffers buffers = {asio::buffer(head), asio::buffer(body)};
  CO_RETURN_IF_ERROR(co_await write(buffers));
  state_ = State::kWhole;
  co_return base::Result<>();
}

io::Task<> Answer::begin(Response head, std::optional<std::uint64_t> length) {
  CO_RETURN_IF_ERROR(start(head.status));
  is_chunked_ = !length && !is_bodyless_ && rules_.minor_version == 1;
  // HTTP/1.0 knows the end of such an answer by the end of the connection.
  if (!length && rules_.minor_version == 0) rules_.keeps_alive = false;
  CO_ASSIGN_OR_RETURN(const std::string text, head_text(head, length));
  state_ = State::kStreaming;
  status_ = head.status;
  left_ = length;
  const Buffers buffers = {asio::buffer(text)};
  co_return co_await write(buffers);
}

io::Task<> Answer::send(std::string_view bytes) {
  if (state_ != State::kStreaming) co_return base::fail(base::Code::kConflict, "no answer is being streamed");
  if (bytes.empty()) co_return base::Result<>();
  if (left_ && bytes.size() > *left_)
    co_return base::fail(base::Code::kInvalid, "an answer is longer than its length says");
  if (left_) *left_ -= bytes.size();
  if (is_bodyless_) co_return base::Result<>();
  if (!is_chunked_) {
    const Buffers buffers = {asio::buffer(bytes)};
    co_return co_await write(buffers);
  }
  std::array<char, 20> size{};
  char* end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  static constexpr std::string_view kLineEnd = "\r\n";
  const auto digits = static_cast<std::size_t>(end - size.data());
  const Buffers buffers = {asio::buffer(size.data(), digits), asio::buffer(bytes), asio::buffer(kLineEnd)};
  co_return co_await write(buffers);
}

io::Task<> Answer::finish() {
  if (state_ != State::kStreaming) co_return base::fail(base::Code::kConflict, "no answer is being streamed");
  if (left_.value_or(0) > 0 && !is_bodyless_)
    co_return base::fail(base::Code::kInvalid, "an answer is shorter than its length says");
  if (is_cut_) co_return base::fail(base::Code::kUnavailable, "the answer was not sent whole");
  if (is_chunked_) {
    static constexpr std::string_view kLast = "0\r\n\r\n";
    const Buffers buffers = {asio::buffer(kLast)};
    CO_RETURN_IF_ERROR(co_await write(buffers));
  }
  state_ = State::kWhole;
  co_return base::Result<>();
}

io::Task<> Answer::switch_protocols(std::vector<Header> headers) {
  if (has_begun()) co_return base::fail(base::Code::kConflict, "the request is answered already");
  std::string text = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  text.append("X-Request-Id: ").append(rules_.request_id).append("\r\n");
  for (const Header& header : headers) CO_RETURN_IF_ERROR(append_header(text, header));
  text += "\r\n";
  handed_over();
  const Buffers buffers = {asio::buffer(text)};
  co_return co_await write(buffers);
}

}  // namespace http
