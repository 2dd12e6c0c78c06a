#include "cli/sandbox_arguments.h"

#include <fmt/format.h>

#include <climits>
#include <cstdlib>

#include "base/units.h"
#include "cli/own_recipes.h"
#include "engine/runtime_environment.h"
#include "template/reference.h"
#include "template/store.h"

namespace cli {

namespace {

using wire::spawner::Access;

Result<> read_limits(const SandboxArguments& args, Ground& ground) {
  ASSIGN_OR_RETURN(ground.options.cpu_millis, base::parse_cpus(args.cpus));
  ASSIGN_OR_RETURN(ground.options.memory_bytes, base::parse_bytes(args.memory));
  if (!args.disk.empty()) {
    ASSIGN_OR_RETURN(ground.options.disk_bytes, base::parse_bytes(args.disk));
    // To the spawner, none means its default.
    if (ground.options.disk_bytes == 0) return base::fail(base::Code::kInvalid, "--disk must be at least 1M");
  }
  ground.options.max_pids = args.pids;
  ASSIGN_OR_RETURN(ground.timeout, base::parse_duration(args.timeout));
  ASSIGN_OR_RETURN(ground.output_cap, base::parse_bytes(args.output));
  constexpr std::chrono::hours kLongest{24};
  if (ground.timeout.count() < 1 || ground.timeout > kLongest) {
    return base::fail(base::Code::kInvalid, "--timeout must be from 1 ms to 24 h");
  }
  return {};
}

// DIR, DIR:ro or DIR:rw; read-write unless said otherwise.
Result<> read_workspace(const SandboxArguments& args, Ground& ground) {
  if (args.workspace.empty()) return {};
  std::string path = args.workspace;
  ground.options.workspace_access = Access::kReadWrite;
  if (path.ends_with(":ro")) ground.options.workspace_access = Access::kReadOnly;
  if (path.ends_with(":ro") || path.ends_with(":rw")) path.resize(path.size() - 3);
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved) == nullptr) return base::failed_call("workspace " + path);
  ground.options.workspace = resolved;
  ground.cwd = "/workspace";
  return {};
}

Result<> read_environment(const SandboxArguments& args, Ground& ground) {
  for (const std::string& entry : args.environment) {
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return base::fail(base::Code::kInvalid, fmt::format("--env wants NAME=VALUE, not '{}'", entry));
    }
    engine::set_variables(ground.environment, {entry});
  }
  return {};
}

Result<> find_template(const Globals& globals, const SandboxArguments& args, Ground& ground) {
  ASSIGN_OR_RETURN(const auto store, templates::Store::open(globals.state));
  auto info = store.resolve(args.template_name);
  if (!info) {
    auto error = std::move(info).error();
    if (error.code == base::Code::kNotFound) {
      error.message += "; " + how_to_build(globals, templates::canonical_reference(args.template_name));
    }
    return std::unexpected(std::move(error));
  }
  ground.options.root = info->digest;
  ground.template_name = args.template_name;
  ground.template_root = store.directory_of(info->digest) + "/root";
  ground.environment =
      engine::base_environment(args.root ? wire::init::User::kRoot : wire::init::User::kUser, ground.options);
  for (const auto& [name, value] : info->meta.environment)
    engine::set_variables(ground.environment, {name + "=" + value});
  return {};
}

}  // namespace

Result<Ground> understand_ground(const Globals& globals, const SandboxArguments& args) {
  Ground ground;
  RETURN_IF_ERROR(read_limits(args, ground));
  RETURN_IF_ERROR(read_workspace(args, ground));
  RETURN_IF_ERROR(find_template(globals, args, ground));
  RETURN_IF_ERROR(read_environment(args, ground));
  if (args.root) {
    ground.options.mode = wire::spawner::Mode::kRoot;
    ground.user = wire::init::User::kRoot;
  }
  return ground;
}

void add_sandbox_options(CLI::App& sub, SandboxArguments& args) {
  sub.add_option("--template", args.template_name,
                 "Template to run in: its name, a language and its version, or a digest")
      ->capture_default_str();
  sub.add_option("--cpus", args.cpus, "CPUs, fractions allowed")->capture_default_str();
  sub.add_option("--memory", args.memory, "Memory limit")->capture_default_str();
  sub.add_option("--disk", args.disk,
                 "Disk size (default: 1G; half of the memory where disks live in memory)");
  sub.add_option("--pids", args.pids, "Processes and threads at once")->capture_default_str();
  sub.add_option("--timeout", args.timeout, "Wall time: TERM, 2 s of grace, KILL")->capture_default_str();
  sub.add_option("--output", args.output, "Bytes of output kept; the rest is counted")->capture_default_str();
  sub.add_option("--env", args.environment, "NAME=VALUE, may be repeated")->allow_extra_args(false);
  sub.add_option("--workspace", args.workspace, "Host directory at /workspace: DIR[:ro|:rw]");
  sub.add_flag("--root", args.root, "Root inside the sandbox: seven capabilities, for apt and the like");
}

}  // namespace cli
