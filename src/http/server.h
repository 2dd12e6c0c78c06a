// http: a streaming HTTP/1.1 and WebSocket server on one event loop. It knows no sandbox.
//
//     bytes ─▶ stream.h ─▶ head.h, target.h ─▶ guard.h ─▶ Handler(Exchange) ─▶ response.h ─▶ stream.h ─▶
//     bytes
//              TCP, unix,   pure parsers,       whom and    streams both ways
//              TLS          strict, fuzzed      where from
//
// A connection is one task (connection.h): it reads a head, lets the handler answer, and goes on to the next
// request. Whatever is ambiguous is refused and ends the connection, because two readers of the same bytes
// must never disagree where a request ends. Deadlines are times written down, which the server looks at every
// tick: an operation costs no timer. Who is over it is cut.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "base/error.h"
#include "http/access.h"
#include "http/address.h"
#include "http/exchange.h"
#include "http/guard.h"
#include "http/limits.h"
#include "http/tls_files.h"
#include "io/task.h"

namespace io {
class Loop;
}

namespace http {

struct ServerOptions {
  Address address;
  std::optional<Tls> tls = {};
  Limits limits = {};
  Names names = {};
  AccessLog log = {};  // none: silence
};

// Loop thread only, but for listen(), which may also be called before the loop runs.
class Server {
 public:
  // A stale unix socket, to which nobody listens, is replaced. kConflict: the address is taken.
  static base::Result<std::unique_ptr<Server>> listen(io::Loop& loop, const ServerOptions& options,
                                                      Handler handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // With the port that the kernel chose.
  Address address() const;
  std::size_t connections() const;
  // No new connections; those without a request end at once, running exchanges get the grace, then they are
  // cut. Returns when all are gone. Must be called before the server is destroyed.
  io::Task<> close(std::chrono::milliseconds grace);

 private:
  struct Client;
  struct State;
  explicit Server(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace http
