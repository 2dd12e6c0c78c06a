#include <fcntl.h>

#include <cstdio>
#include <cstring>

#include "cli/command.h"
#include "sys/file.h"

namespace {
// Cuts the arguments at the first "--".
int split_at_dashes(int argc, char** argv, cli::Globals& globals) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") != 0) continue;
    globals.after_dashes.emplace(argv + i + 1, argv + argc);
    return i;
  }
  return argc;
}

// A closed standard descriptor would be given to the first file that is opened, which the program inside
// would then read or write.
bool has_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR | O_CLOEXEC) != fd) return false;
  }
  return true;
}
}  // namespace

int main(int argc, char** argv) {
  if (!has_standard_descriptors()) return cli::kExitCoveFailed;
  CLI::App app{"Cove gives every AI agent a computer of its own.", "cove"};
  app.set_version_flag("--version", "cove " COVE_VERSION);
  app.require_subcommand(1);
  app.footer("Start with `cove doctor`, then `cove run -c 'print(6*7)'`. Each command has its own --help.");
  cli::Globals globals;
  const auto self = sys::readlinkat(AT_FDCWD, "/proc/self/exe");
  if (!self) return cli::report(self.error());
  globals.bin = self->substr(0, self->rfind('/'));
  cli::Chosen chosen;
  app.add_option("--state", globals.state, "State directory")->capture_default_str()->envname("COVE_STATE");
  app.add_option("--config", globals.config, "Root-owned configuration file (/etc/cove/cove.conf)")
      ->envname("COVE_CONFIG");
  cli::add_run(app, globals, chosen);
  cli::add_repl(app, globals, chosen);
  cli::add_template(app, globals, chosen);
  cli::add_doctor(app, globals, chosen);
  cli::add_spawner(app, globals, chosen);
  cli::add_key(app, globals, chosen);
  cli::add_team(app, globals, chosen);
  cli::add_user(app, globals, chosen);
  cli::add_project(app, globals, chosen);
  cli::add_serve(app, globals, chosen);
  cli::add_service(app, globals, chosen);
  cli::add_config(app, globals, chosen);
  cli::add_completion(app, chosen);
  try {
    app.parse(split_at_dashes(argc, argv, globals), argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : cli::kExitUsage;
  }
  if (!globals.state.starts_with('/')) {
    std::fprintf(stderr, "cove: --state must be an absolute path\n");
    return cli::kExitUsage;
  }
  return chosen.action();
}
