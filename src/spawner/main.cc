#include <cstdio>
#include <cstring>

#include "spawner/run.h"

namespace {
constexpr const char* kUsage =
    "usage: cove-spawner [--state DIR] [--config FILE] [--set KEY=VALUE]… [--init PROGRAM] [--client UID] "
    "[--linger TIME]\n"
    "The root process that makes sandboxes; `cove` starts it when it is needed.\n"
    "  --state DIR     where templates live (/var/lib/cove); one spawner per directory\n"
    "  --config FILE   root-owned configuration (/etc/cove/cove.conf)\n"
    "  --set KEY=VALUE one key of the configuration, whatever the file says\n"
    "  --init PROGRAM  pid 1 of every sandbox (cove-init beside this program)\n"
    "  --client UID    a user that may connect besides root: whom the server runs as\n"
    "  --linger TIME   exit after this long without a client and without a sandbox (stay for ever)\n";
}

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  const auto options = spawner::parse_arguments(argc, argv);
  if (!options) {
    std::fprintf(stderr, "cove-spawner: %s\n%s", options.error().message.c_str(), kUsage);
    return 2;
  }
  const auto done = spawner::run(*options, nullptr);
  if (done) return 0;
  std::fprintf(stderr, "cove-spawner: %s\n", done.error().message.c_str());
  return 1;
}
