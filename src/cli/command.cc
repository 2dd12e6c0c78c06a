#include "cli/command.h"

#include <unistd.h>

#include <cstdio>

namespace cli {

int report(const base::Error& error, int exit_code) {
  std::fprintf(stderr, "cove: %s\n", error.message.c_str());
  return exit_code;
}

int report_failure(const base::Error& error) {
  return report(error, error.code == base::Code::kInvalid ? kExitUsage : kExitCoveFailed);
}

Result<> require_root(const std::string& what) {
  if (::geteuid() == 0) return {};
  return base::fail(base::Code::kDenied,
                    what +
                        " needs root: it makes namespaces, mounts and cgroups. Run it with "
                        "sudo, or as root.");
}

Result<engine::SpawnerClient> connect_spawner(const Globals& globals) {
  const std::string program = globals.bin + "/cove-spawner";
  return engine::SpawnerClient::connect_or_start(globals.paths(),
                                                 {.program = program, .config = globals.config});
}

}  // namespace cli
