// supervisor: `cove serve`. A small root process that starts the spawner and the server and starts them again
// when they end. It opens no socket to the network and reads nothing that a client or a sandbox wrote.
//
//   cove serve (root) ── starts ──▶ cove-spawner (root)
//                     └─ starts ──▶ cove-server (user `cove`, no capability)
//
// Who outlives whom:
//   * the server ends: it is started again; spawner and sandboxes go on;
//   * the spawner ends: likewise, and sandboxes are found again by their records;
//   * `cove serve` is told to stop: the server is told (SIGTERM) and ends its sandboxes within the grace,
//   then
//     the spawner is told, and all is gone;
//   * `cove serve` is killed: the server sees its life line hang up and ends at once, without ending
//     sandboxes; the spawner looks after them, and goes a minute after the last of them.
// The next `cove serve` of the same state directory waits for a server of the last one that is on its way
// out.
#pragma once

#include <string>
#include <vector>

#include "base/config.h"

namespace supervisor {

using base::Result;

// What cove-server is started with. Descriptors are open when it starts; nothing secret is among the
// arguments. SIGTERM: stop serving, end the sandboxes, exit with 0. An exit with kExitHopeless is not tried
// again.
struct ServerCommand {
  std::string state;
  int settings_fd = -1;  // a sealed file with every configured key (Settings::text)
  int ready_fd = -1;     // a pipe; see tell_ready
  int life_fd = -1;      // a pipe nobody writes to: it hangs up when the supervisor is gone
};

constexpr int kExitHopeless = 3;  // a wrong configuration, a port that is taken

// "--state", …, without the program.
std::vector<std::string> arguments_of(const ServerCommand& command);
Result<ServerCommand> parse_server_arguments(int argc, char** argv);

// For the server: the configuration that it was handed. tls_certificate and tls_key name descriptors of its
// own (/proc/self/fd/N), so that files which only root may read work.
Result<base::Config> read_settings(const ServerCommand& command);
// For the server, once it listens: the addresses with their real ports. Closes the descriptor.
Result<> tell_ready(const ServerCommand& command, const std::vector<std::string>& addresses);

}  // namespace supervisor
