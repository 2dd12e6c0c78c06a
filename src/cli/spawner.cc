#include <fmt/format.h>

#include "cli/command.h"

namespace cli {

namespace {

bool is_absent(const base::Error& error) {
  return error.code == base::Code::kNotFound || error.code == base::Code::kUnavailable;
}

int status(const Globals& globals) {
  auto client = engine::SpawnerClient::connect(globals.paths());
  if (!client && is_absent(client.error())) {
    fmt::print("no spawner runs for {}\n", globals.state);
    return 1;
  }
  if (!client) return report(client.error());
  const auto reply = client->call(wire::spawner::Status{});
  if (!reply) return report(reply.error());
  fmt::print("spawner of {}: {} sandbox(es), {} ending, {} nursery(ies)\n", globals.state, reply->sandboxes,
             reply->ending, reply->nurseries);
  const auto note = reply->message.view();
  fmt::print("disks: {}{}{}\n", reply->disk_backend.view(), note.empty() ? "" : "; ", note);
  return 0;
}

int stop(const Globals& globals) {
  auto client = engine::SpawnerClient::connect(globals.paths());
  if (!client && is_absent(client.error())) return 0;
  if (!client) return report(client.error());
  const auto reply = client->call(wire::spawner::Stop{});
  if (!reply) return report(reply.error());
  // Wait for its end, so that whoever stopped it may remove what it used.
  while (client->call(wire::spawner::Status{})) {
  }
  return 0;
}

}  // namespace

void add_spawner(CLI::App& app, const Globals& globals, Chosen& chosen) {
  auto* sub = app.add_subcommand("spawner", "The root process that makes sandboxes (started when needed)");
  sub->require_subcommand(1);
  sub->footer("Example: cove spawner status");
  auto* status_command = sub->add_subcommand("status", "Whether it runs, and how many sandboxes it has");
  status_command->footer("Exit code 0: it runs. 1: it does not.\nExample: cove spawner status");
  status_command->callback([&] { chosen.action = [&] { return status(globals); }; });
  auto* stop_command = sub->add_subcommand("stop", "Stop it; live sandboxes go on");
  stop_command->footer("Example: cove spawner stop");
  stop_command->callback([&] { chosen.action = [&] { return stop(globals); }; });
}

}  // namespace cli
