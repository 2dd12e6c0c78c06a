#include "http/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <list>
#include <map>
#include <utility>

#include "http/connection.h"
#include "http/listener.h"
#include "http/tls.h"
#include "io/task_group.h"

namespace http {

namespace asio = boost::asio;
using io::Clock;

namespace {
// Sent as it is: whoever is one too many costs no task and no memory.
constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nCache-Control: "
    "no-store\r\nRetry-After: 1\r\n"
    "Connection: close\r\nContent-Length: 108\r\n\r\n"
    R"({"error":{"code":"unavailable","message":"too many connections","hint":"use fewer, or later","details":{}}})"
    "\n";
static_assert(kFull.size() - kFull.find('{') == 108);
}  // namespace

// A connection and its place in the server's lists, from its acceptance to its end.
struct Server::Client {
  Client(State& server, std::unique_ptr<Stream> stream, const Accepted& accepted);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  State& state;
  Connection connection;
  std::list<Connection*>::iterator place;
  std::string counted;  // by this address; empty: not at all
};

struct Server::State : std::enable_shared_from_this<Server::State> {
  using Self = std::shared_ptr<State>;

  State(io::Loop& loop, ServerOptions options, Handler handler)
      : service{.loop = loop,
                .handler = std::move(handler),
                .names = std::move(options.names),
                .limits = options.limits,
                .log = std::move(options.log),
                .closing = io::Bell(loop)},
        listening(loop.context()),
        changed(loop),
        tasks(loop, [this](std::string_view name, const base::Error& error) { told(name, error); }) {}

  Service service;
  Address address;
  std::unique_ptr<TlsContext> tls;
  asio::posix::stream_descriptor listening;
  std::list<Connection*> connections;
  std::map<std::string, std::size_t> peers;  // how many connections each has that is counted
  io::Bell changed;                          // rung when a connection comes or goes
  io::TaskGroup tasks;

  void told(std::string_view name, const base::Error& error) const;
  base::Result<> open(const ServerOptions& options);
  bool has_room_for(const Accepted& client) const;
  base::Result<> welcome_all();
  void welcome(Accepted client);
  void stop_listening();

  static io::Task<> accept(Self self);
  static io::Task<> sweep(Self self);
  static io::Task<> serve(Self self, std::unique_ptr<Client> client);
  static io::Task<> close(Self self, std::chrono::milliseconds grace);
};

Server::Client::Client(State& server, std::unique_ptr<Stream> stream, const Accepted& accepted)
    : state(server),
      connection(std::move(stream), accepted.peer, server.service),
      place(server.connections.insert(server.connections.end(), &connection)),
      counted(accepted.is_counted ? accepted.peer : "") {
  if (!counted.empty()) ++state.peers[counted];
  state.changed.ring();
}

Server::Client::~Client() {
  state.connections.erase(place);
  if (!counted.empty() && --state.peers[counted] == 0) state.peers.erase(counted);
  state.changed.ring();
}

void Server::State::told(std::string_view name, const base::Error& error) const {
  if (service.log) service.log({.path = name, .error = error.message});
}

base::Result<> Server::State::open(const ServerOptions& options) {
  RETURN_IF_ERROR(check_names(service.names));
  if (options.tls) {
    ASSIGN_OR_RETURN(tls, TlsContext::load(*options.tls));
  }
  ASSIGN_OR_RETURN(Listener listener, open_listener(options.address));
  address = listener.address;
  boost::system::error_code failed;
  listening.assign(listener.fd.release(), failed);
  if (failed) return base::failed_call("epoll_ctl", failed.value());
  // A server that is reached by its address is called by it.
  if (address.kind == Address::Kind::kIpv4) service.names.hosts.push_back(address.host);
  if (address.kind == Address::Kind::kIpv6) service.names.hosts.push_back("[" + address.host + "]");
  tasks.spawn("accept", accept(shared_from_this()));
  tasks.spawn("sweep", sweep(shared_from_this()));
  return {};
}

bool Server::State::has_room_for(const Accepted& client) const {
  if (connections.size() >= service.limits.connections) return false;
  const auto peer = peers.find(client.peer);
  return !client.is_counted || peer == peers.end() || peer->second < service.limits.connections_per_peer;
}

void Server::State::welcome(Accepted client) {
  if (!has_room_for(client)) {
    if (!tls) (void)::send(client.fd.get(), kFull.data(), kFull.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return;
  }
  Socket socket(service.loop.context().get_executor());
  boost::system::error_code failed;
  socket.assign(asio::generic::stream_protocol(client.family, client.family == AF_UNIX ? 0 : IPPROTO_TCP),
                client.fd.get(), failed);
  if (failed) return told("accept", base::failed_call("epoll_ctl", failed.value()).error());
  (void)client.fd.release();  // the socket owns it now
  auto stream = tls ? tls->wrap(std::move(socket)) : std::make_unique<PlainStream>(std::move(socket));
  tasks.spawn("connection",
              serve(shared_from_this(), std::make_unique<Client>(*this, std::move(stream), client)));
}

base::Result<> Server::State::welcome_all() {
  // Those who came already have a turn before more are let in.
  constexpr int kAtOnce = 64;
  for (int i = 0; i < kAtOnce; ++i) {
    ASSIGN_OR_RETURN(auto client, accept_client(listening.native_handle()));
    if (!client) return {};
    welcome(*std::move(client));
  }
  return {};
}

io::Task<> Server::State::accept(Self self) {
  while (!self->service.is_closing) {
    const auto [failed] = co_await self->listening.async_wait(asio::posix::stream_descriptor::wait_read,
                                                              asio::as_tuple(asio::use_awaitable));
    if (failed) co_return base::Result<>();
    const auto welcomed = self->welcome_all();
    if (welcomed) continue;
    // Out of descriptors, most likely: those that are open end some day.
    self->told("accept", welcomed.error());
    CO_RETURN_IF_ERROR(
        co_await self->service.loop.sleep_until(Clock::now() + std::chrono::milliseconds(100)));
  }
  co_return base::Result<>();
}

io::Task<> Server::State::sweep(Self self) {
  while (true) {
    while (self->connections.empty()) CO_RETURN_IF_ERROR(co_await self->changed.wait());
    const auto now = Clock::now();
    for (Connection* connection : self->connections) connection->sweep(now);
    CO_RETURN_IF_ERROR(co_await self->service.loop.sleep_until(now + self->service.limits.tick));
  }
}

io::Task<> Server::State::serve(Self self, std::unique_ptr<Client> client) {
  co_return co_await client->connection.run();
}

void Server::State::stop_listening() {
  service.is_closing = true;
  boost::system::error_code ignored;
  if (listening.is_open() && address.kind == Address::Kind::kUnix) ::unlink(address.host.c_str());
  listening.close(ignored);
}

io::Task<> Server::State::close(Self self, std::chrono::milliseconds grace) {
  const auto by = Clock::now() + grace;
  self->stop_listening();
  self->service.closing.ring();
  for (Connection* connection : self->connections) connection->close_if_idle();
  while (!self->connections.empty()) {
    const auto changed = co_await self->changed.wait(by);
    if (!changed) break;
  }
  co_return co_await self->tasks.close();
}

base::Result<std::unique_ptr<Server>> Server::listen(io::Loop& loop, const ServerOptions& options,
                                                     Handler handler) {
  auto state = std::make_shared<State>(loop, options, std::move(handler));
  RETURN_IF_ERROR(state->open(options));
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::Server(std::shared_ptr<State> state) : state_(std::move(state)) {}

Server::~Server() {
  state_->stop_listening();
  state_->tasks.cancel();
}

Address Server::address() const { return state_->address; }
std::size_t Server::connections() const { return state_->connections.size(); }
io::Task<> Server::close(std::chrono::milliseconds grace) { return State::close(state_, grace); }

}  // namespace http
