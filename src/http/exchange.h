#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/guard.h"
#include "http/response.h"
#include "http/target.h"
#include "http/tunnel.h"
#include "http/web_socket.h"
#include "io/task.h"

namespace http {

class Connection;
struct Request;

// One request and its one answer. Loop thread only. What the client sent is checked for form before a handler
// sees it. Valid until the handler returns; afterwards every call fails with kUnavailable, so that a task
// left behind harms nobody.
class Exchange {
 public:
  // Both outlive it.
  Exchange(Connection& connection, Request& request) : connection_(connection), request_(request) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // ---- the request ----
  std::string_view method() const;
  std::string_view target() const;  // raw: path and query
  std::string_view raw_path() const;
  const std::vector<std::string>& segments() const;  // decoded: target.h
  std::optional<std::string> query(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& query_all() const;
  // kInvalid for a parameter that is unknown or comes twice. For every route that is not a proxy.
  base::Result<> check_query(std::span<const std::string_view> known) const;
  // The first of that name, whatever its case. Those that decide anything (Host, Authorization, Content-*,
  // Origin, Range, …) come once: a request with two is refused before the handler.
  std::optional<std::string_view> header(std::string_view name) const;
  const std::vector<Header>& headers() const;
  const std::string& request_id() const;  // ours; sent back as X-Request-Id
  const Host& host() const;               // allowed; host().label is set below a preview domain
  std::string_view peer() const;          // "192.0.2.1", "::1", "unix"
  bool is_encrypted() const;

  // ---- its body ----
  bool has_body() const;
  std::optional<std::uint64_t> content_length() const;  // nothing: chunked, or no body
  // kExhausted: larger than `most` (413). kTimeout: too slow. kUnavailable: the client is gone. kInvalid:
  // malformed.
  io::Task<std::string> whole_body(std::size_t most);
  // The next bytes as they come (at most 64 KiB); empty at the end. Tells the client to continue when it
  // waits for that.
  io::Task<std::string> next_piece();

  // ---- its answer: reply(), or begin() send()… finish(), or upgrade() ----
  io::Task<> reply(Response response);
  // `length`: of the body that follows, else it is chunked.
  io::Task<> begin(Response head, std::optional<std::uint64_t> length = std::nullopt);
  // Returns when the bytes are the kernel's. Fails with kUnavailable when the client is gone, kTimeout when
  // it takes nothing for long. One at a time.
  io::Task<> send(std::string_view bytes);
  // Without it a streamed answer breaks the connection, so that the client notices.
  io::Task<> finish();
  bool has_begun() const;
  unsigned status() const;  // of the answer; 0 before it has begun

  // Returns when the client has hung up or the server closes: for streams with nothing to send. Cancellable.
  // The body has to be read before. After upgrade(), where receive() tells of a hang-up: when the server
  // closes.
  io::Task<> until_gone();

  bool wants_upgrade() const;  // to a WebSocket
  // Those that the client offers.
  std::vector<std::string> subprotocols() const;
  // An error of it has been answered: 426 when no WebSocket was asked for, 400 when the request for it is
  // malformed.
  io::Task<std::shared_ptr<WebSocket>> upgrade(std::string_view subprotocol = {});
  // For a proxy: 101 with the headers of a WebSocket server behind us, whose bytes then go both ways unseen.
  // Errors as upgrade().
  io::Task<Tunnel> tunnel(std::vector<Header> headers);

 private:
  Connection& connection_;
  Request& request_;
};

// An error that it returns before it began an answer becomes 500 with code `internal`, and is logged; after,
// it breaks the connection.
using Handler = std::function<io::Task<>(Exchange&)>;

}  // namespace http
