#include <fmt/format.h>
#include <sys/stat.h>

#include "cli/serve.h"
#include "cli/settings.h"
#include "supervisor/unit.h"
#include "sys/file.h"
#include "sys/run_program.h"
#include "template/rules.h"

namespace cli {

namespace {

constexpr const char* kUnits = "/etc/systemd/system";
constexpr const char* kSystemctl = "/usr/bin/systemctl";

struct Arguments {
  std::string name = "cove";
  ServeArguments serve;
};

std::string unit_path(const Arguments& args) { return fmt::format("{}/{}.service", kUnits, args.name); }

Result<> check_name(const std::string& name) {
  if (templates::check_template_name(name)) return {};
  return base::fail(base::Code::kInvalid, "--name wants small letters, digits, dots and dashes");
}

Result<std::string> unit_of(const Globals& globals, const Arguments& args) {
  RETURN_IF_ERROR(check_name(args.name));
  // What would be refused later is refused now.
  RETURN_IF_ERROR(load_settings(globals, args.serve.flags()));
  std::vector<std::string> command = {globals.bin + "/cove", "--state", globals.state};
  if (!globals.config.empty()) command.insert(command.end(), {"--config", globals.config});
  command.emplace_back("serve");
  for (const std::string& flag : args.serve.flags()) command.insert(command.end(), {"--set", flag});
  if (!args.serve.server_program.empty()) {
    command.insert(command.end(), {"--server-program", args.serve.server_program});
  }
  return supervisor::systemd_unit(command);
}

bool is_systemd_running() { return sys::fstatat(AT_FDCWD, "/run/systemd/system").has_value(); }

Result<> show(const Globals& globals, const Arguments& args) {
  ASSIGN_OR_RETURN(const auto unit, unit_of(globals, args));
  fmt::print("{}", unit);
  return {};
}

Result<> write_unit(const std::string& path, std::string_view unit) {
  auto absent = sys::unlinkat(AT_FDCWD, path);
  if (!absent && absent.error().code != base::Code::kNotFound) return absent;
  RETURN_IF_ERROR(sys::create_file_at(AT_FDCWD, path, unit, 0644));
  ASSIGN_OR_RETURN(const auto fd, sys::open(path, O_RDONLY | O_NOFOLLOW));
  return sys::fchmod(fd.get(), 0644);
}

Result<> install(const Globals& globals, const Arguments& args) {
  RETURN_IF_ERROR(require_root("cove service install"));
  ASSIGN_OR_RETURN(const auto unit, unit_of(globals, args));
  const std::string path = unit_path(args);
  auto written = write_unit(path, unit);
  if (!written && written.error().code == base::Code::kNotFound) {
    return base::fail(
        base::Code::kUnsupported,
        fmt::format("there is no {}: this machine has no systemd. Let its own service manager run: "
                    "{}/cove serve",
                    kUnits, globals.bin));
  }
  if (!written) return written;
  if (!is_systemd_running()) {
    fmt::print(
        "wrote {}\nsystemd does not run here. Where it does: systemctl enable --now {}\n"
        "Without it: {}/cove --state {} serve\n",
        path, args.name, globals.bin, globals.state);
    return {};
  }
  RETURN_IF_ERROR(sys::run_program({kSystemctl, "daemon-reload"}));
  RETURN_IF_ERROR(sys::run_program({kSystemctl, "enable", "--now", args.name + ".service"}));
  fmt::print("{}.service is enabled and runs; its log: journalctl -u {}\n", args.name, args.name);
  return {};
}

Result<> remove(const Globals&, const Arguments& args) {
  RETURN_IF_ERROR(require_root("cove service remove"));
  RETURN_IF_ERROR(check_name(args.name));
  const std::string path = unit_path(args);
  if (!sys::fstatat(AT_FDCWD, path)) {
    fmt::print("there is no {}\n", path);
    return {};
  }
  if (is_systemd_running()) {
    RETURN_IF_ERROR(sys::run_program({kSystemctl, "disable", "--now", args.name + ".service"}));
  }
  RETURN_IF_ERROR(sys::unlinkat(AT_FDCWD, path));
  if (is_systemd_running()) RETURN_IF_ERROR(sys::run_program({kSystemctl, "daemon-reload"}));
  fmt::print("removed {}\n", path);
  return {};
}

using Action = Result<> (*)(const Globals&, const Arguments&);

}  // namespace

void add_service(CLI::App& app, const Globals& globals, Chosen& chosen) {
  auto* sub = app.add_subcommand("service", "Let systemd run `cove serve`");
  sub->fallthrough();
  sub->require_subcommand(1);
  sub->footer("Example: cove service install && systemctl status cove");
  auto args = std::make_shared<Arguments>();
  const auto add = [&](const char* name, const char* meaning, Action action) {
    auto* command = sub->add_subcommand(name, meaning);
    command->add_option("--name", args->name, "Of the service; a second instance needs another")
        ->capture_default_str();
    command->callback([args, action, &globals, &chosen] {
      chosen.action = [args, action, &globals] {
        const auto done = action(globals, *args);
        return done ? 0 : report_failure(done.error());
      };
    });
    return command;
  };
  auto* install_command = add("install", "Write the unit, and start it now and with the machine", install);
  add_serve_options(*install_command, args->serve);
  install_command->footer("Example: cove service install --listen unix:/run/cove/server/api.sock");
  add("remove", "Stop it and remove the unit", remove)->footer("Example: cove service remove");
  auto* show_command = add("show", "Print the unit", show);
  add_serve_options(*show_command, args->serve);
  show_command->footer("Example: cove service show --set log_level=debug");
}

}  // namespace cli
