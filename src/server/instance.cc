#include "server/instance.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "api/clock.h"
#include "server/chores.h"
#include "server/leftovers.h"
#include "store/directory.h"

namespace server {

namespace {

constexpr std::size_t kStoreThreads = 2;
constexpr std::chrono::milliseconds kGrace{2'000};

io::TaskGroup::OnFailure told_to(base::Log& log) {
  return [&log](std::string_view name, const base::Error& error) {
    log.error("task_failed", {{"task", name}, {"error", error.message}});
  };
}

fleet::FleetOptions fleet_options(const base::Paths& paths, const base::LimitConfig& limits) {
  fleet::FleetOptions options;
  options.spool_directory = paths.server;
  options.ceilings = {
      .sandboxes = limits.max_sandboxes, .memory_bytes = limits.max_memory, .disk_bytes = limits.max_disk};
  return options;
}

http::AccessLog access_log(base::Log& log) {
  return [&log](const http::AccessRecord& record) {
    log.info("request", {{"request", record.request_id},
                         {"method", record.method},
                         {"path", record.path},
                         {"peer", record.peer},
                         {"status", record.status},
                         {"bytes_in", record.bytes_in},
                         {"bytes_out", record.bytes_out},
                         {"took_us", record.took.count()},
                         {"error", record.error}});
  };
}

Result<http::ServerOptions> options_of(const base::ServerConfig& config, const std::string& listen,
                                       base::Log& log) {
  ASSIGN_OR_RETURN(auto address, http::Address::parse(listen));
  http::ServerOptions options{.address = std::move(address), .log = access_log(log)};
  options.names.hosts = config.allowed_hosts;
  if (options.address.kind != http::Address::Kind::kUnix) options.names.hosts.push_back(options.address.host);
  if (!config.preview_domain.empty()) options.names.domains.push_back(config.preview_domain);
  if (!config.tls_certificate.empty()) options.tls = {config.tls_certificate, config.tls_key};
  return options;
}

}  // namespace

// In the order in which they need each other.
struct Instance::Parts {
  // What has to be there before the rest can be.
  struct Opened {
    std::unique_ptr<store::Store> store;
    auth::Keyring keyring;
  };

  Parts(const supervisor::ServerCommand& command, base::Config configured, base::Log& told, Opened opened)
      : config(std::move(configured)),
        log(told),
        paths(base::Paths::of(command.state)),
        life_fd(command.life_fd),
        store(std::move(opened.store)),
        keyring(std::move(opened.keyring)),
        pool(kStoreThreads),
        spawner(paths),
        tasks(loop, told_to(log)),
        roster(loop, pool, *store, log),
        templates(command.state),
        fleet(loop, spawner, fleet_options(paths, config.limits),
              {.on_end = [this](fleet::Sandbox& sandbox) { note_end(sandbox); }, .on_failure = told_to(log)}),
        services{.loop = loop,
                 .behind = tasks,
                 .pool = pool,
                 .store = *store,
                 .keyring = keyring,
                 .fleet = fleet,
                 .spawner = spawner,
                 .roster = roster,
                 .templates = templates,
                 .config = config,
                 .log = log,
                 .metrics = metrics,
                 .signing_key = base::random_hex(32),
                 .connections = [this] { return connections(); }},
        api(services) {}

  void note_end(fleet::Sandbox& sandbox) {
    const auto cause = sandbox.end_cause().value_or(fleet::EndCause::kLost);
    log.info("sandbox_ended", {{"sandbox", sandbox.id()}, {"cause", fleet::name_of(cause)}});
    metrics.count_sandbox_end(fleet::name_of(cause));
    roster.end(sandbox.id(), fleet::name_of(cause), api::now());
  }

  std::size_t connections() const {
    std::size_t all = 0;
    for (const auto& server : servers) all += server->connections();
    return all;
  }

  Result<> listen();
  io::Task<> stop_when_told();
  io::Task<> stop_when_alone();
  io::Task<> take_apart();

  const base::Config config;
  base::Log& log;
  const base::Paths paths;
  const int life_fd;
  std::unique_ptr<store::Store> store;
  auth::Keyring keyring;
  io::Loop loop;
  io::Pool pool;
  fleet::Spawner spawner;
  io::TaskGroup tasks;
  api::Roster roster;
  api::TemplatesAtHand templates;
  api::Metrics metrics;
  fleet::Fleet fleet;
  api::Services services;
  api::Api api;
  std::vector<std::unique_ptr<http::Server>> servers;
};

Result<> Instance::Parts::listen() {
  for (const std::string& address : config.server.listen) {
    ASSIGN_OR_RETURN(const auto options, options_of(config.server, address, log));
    auto handler = [this](http::Exchange& exchange) { return api.handle(exchange); };
    ASSIGN_OR_RETURN(auto server, http::Server::listen(loop, options, std::move(handler)));
    servers.push_back(std::move(server));
  }
  return {};
}

// Clients first, then what they had; the last rows are written before the loop ends.
io::Task<> Instance::Parts::take_apart() {
  for (const auto& server : servers) CO_RETURN_IF_ERROR(co_await server->close(kGrace));
  CO_RETURN_IF_ERROR(co_await fleet.end_all(fleet::EndCause::kPolicy));
  CO_RETURN_IF_ERROR(co_await fleet.close());
  co_return co_await roster.flush();
}

io::Task<> Instance::Parts::stop_when_told() {
  CO_RETURN_IF_ERROR(co_await io::next_signal(loop, {SIGTERM, SIGINT}));
  log.info("stopping");
  if (const auto done = co_await take_apart(); !done) {
    log.error("not_stopped_cleanly", {{"error", done.error().message}});
  }
  loop.stop();
  co_return Result<>();
}

// Without a supervisor nobody would start it again, or end it: sandboxes stay as they are.
io::Task<> Instance::Parts::stop_when_alone() {
  io::Bell bell(loop);
  CO_ASSIGN_OR_RETURN(auto watch, io::Watch::on(loop, life_fd, bell));
  watch.want(POLLIN);
  CO_RETURN_IF_ERROR(co_await bell.wait());
  log.error("supervisor_gone");
  loop.stop();
  co_return Result<>();
}

Instance::Instance(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Instance::~Instance() = default;

Result<std::unique_ptr<Instance>> Instance::start(const supervisor::ServerCommand& command,
                                                  const base::Config& config, base::Log& log) {
  const std::string database = store::database_of(command.state);
  ASSIGN_OR_RETURN(auto store, store::Store::open(database, api::now()));
  ASSIGN_OR_RETURN(auto keyring, auth::Keyring::open(database));
  Parts::Opened opened{.store = std::move(store), .keyring = std::move(keyring)};
  auto parts = std::make_unique<Parts>(command, config, log, std::move(opened));
  RETURN_IF_ERROR(end_leftovers(parts->paths, *parts->store, log));
  RETURN_IF_ERROR(parts->listen());
  return std::unique_ptr<Instance>(new Instance(std::move(parts)));
}

std::vector<std::string> Instance::addresses() const {
  std::vector<std::string> texts;
  for (const auto& server : parts_->servers) texts.push_back(server->address().text());
  return texts;
}

void Instance::run() {
  parts_->roster.launch(parts_->tasks);
  parts_->tasks.spawn("signals", parts_->stop_when_told());
  parts_->tasks.spawn("life line", parts_->stop_when_alone());
  parts_->tasks.spawn("chores", do_chores(parts_->services));
  parts_->loop.run();
}

}  // namespace server
