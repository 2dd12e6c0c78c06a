// cove-server: the process that serves the API, without any privilege. Started by `cove serve`.
#include <fmt/format.h>

#include <string_view>

#include "server/instance.h"

namespace {

int list_routes() {
  for (const api::Route& route : api::all_routes()) fmt::print("{} {}\n", route.method, route.pattern);
  return 0;
}

int complain(base::Log& log, const base::Error& error) {
  log.error("server_cannot_start", {{"error", error.message}});
  const bool is_hopeless = error.code == base::Code::kInvalid || error.code == base::Code::kConflict;
  return is_hopeless ? supervisor::kExitHopeless : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--routes") return list_routes();
  base::Log first_log(2, base::LogLevel::kInfo);
  const auto command = supervisor::parse_server_arguments(argc, argv);
  if (!command) return complain(first_log, command.error());
  const auto config = supervisor::read_settings(*command);
  if (!config) return complain(first_log, config.error());
  base::Log log(2, config->server.log_level);
  auto instance = server::Instance::start(*command, *config, log);
  if (!instance) return complain(log, instance.error());
  const auto told = supervisor::tell_ready(*command, (*instance)->addresses());
  if (!told) return complain(log, told.error());
  (*instance)->run();
  return 0;
}
