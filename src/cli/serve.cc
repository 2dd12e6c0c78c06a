#include "cli/serve.h"

#include <fmt/format.h>

#include "catalogue/publish.h"
#include "cli/settings.h"
#include "doctor/finding.h"
#include "supervisor/supervise.h"

namespace cli {

namespace {

constexpr int kStderr = 2;

// Refused now, with what is missing, instead of for each sandbox.
Result<> check_host(const Globals& globals) {
  const auto found = doctor::examine({.state_directory = globals.state});
  if (found.default_tier_works()) return {};
  std::string missing;
  for (const doctor::Finding& finding : found.findings) {
    const bool is_there = finding.status == doctor::Status::kOk || finding.status == doctor::Status::kWeak;
    if (finding.level != doctor::Level::kRequired || is_there) continue;
    missing += fmt::format("{}{} ({})", missing.empty() ? "" : "; ", finding.id, finding.fix);
  }
  return base::fail(base::Code::kUnsupported,
                    fmt::format("this host lacks: {}. `cove doctor` tells more", missing));
}

Result<> serve(const Globals& globals, const ServeArguments& args) {
  RETURN_IF_ERROR(require_root("cove serve"));
  const auto flags = args.flags();
  ASSIGN_OR_RETURN(auto settings, load_settings(globals, flags));
  RETURN_IF_ERROR(check_host(globals));
  RETURN_IF_ERROR(catalogue::publish(globals.state));
  base::Log log(kStderr, settings.config.server.log_level);
  const supervisor::Plan plan{
      .paths = globals.paths(),
      .settings = std::move(settings),
      .config_file = globals.config,
      .flags = flags,
      .spawner_program = globals.bin + "/cove-spawner",
      .server_program = args.server_program.empty() ? globals.bin + "/cove-server" : args.server_program};
  return supervisor::supervise(plan, log);
}

}  // namespace

std::vector<std::string> ServeArguments::flags() const {
  std::vector<std::string> all;
  all.reserve(listen.size() + set.size());
  for (const std::string& address : listen) all.push_back("listen=" + address);
  all.insert(all.end(), set.begin(), set.end());
  return all;
}

void add_serve_options(CLI::App& sub, ServeArguments& args) {
  sub.add_option("--listen", args.listen,
                 "Address, [ADDRESS]:PORT or unix:/path; may be repeated (127.0.0.1:7717)")
      ->allow_extra_args(false);
  sub.add_option("--set", args.set,
                 "KEY=VALUE of the configuration; may be repeated (`cove config` lists them)")
      ->allow_extra_args(false);
  sub.add_option("--server-program", args.server_program,
                 "Another server than cove-server beside this program");
}

void add_serve(CLI::App& app, const Globals& globals, Chosen& chosen) {
  auto* sub = app.add_subcommand("serve", "Run the server: sandboxes for many callers, over HTTP");
  sub->fallthrough();
  auto args = std::make_shared<ServeArguments>();
  add_serve_options(*sub, *args);
  sub->footer(
      "Says where it serves on stdout, and logs JSON lines to stderr. Ctrl-C ends it and its sandboxes.\n"
      "A second one beside it needs a --state and a --listen of its own.\n"
      "Examples:\n  cove serve\n  cove serve --state /srv/cove2 --listen 127.0.0.1:7718\n"
      "  cove serve --listen unix:/run/cove/server/api.sock --set max_ttl=1d");
  sub->callback([args, &globals, &chosen] {
    chosen.action = [args, &globals] {
      const auto done = serve(globals, *args);
      return done ? 0 : report_failure(done.error());
    };
  });
}

}  // namespace cli
