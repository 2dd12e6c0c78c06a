#include <fmt/format.h>

#include <boost/json.hpp>
#include <climits>
#include <cstdlib>

#include "base/units.h"
#include "cli/command.h"
#include "cli/language.h"
#include "cli/own_recipes.h"
#include "cli/receipt.h"
#include "cli/terminal.h"
#include "sys/file.h"
#include "template/reference.h"
#include "template/store.h"

namespace cli {

namespace {

using wire::spawner::Access;

enum class Show { kNothing, kJson, kText };

// As typed.
struct Arguments {
  std::string template_name = "base";
  std::string cpus = "1";
  std::string memory = "512M";
  std::string disk;
  std::uint32_t pids = 256;
  std::string timeout = "60s";
  std::string output = "10M";
  std::vector<std::string> environment;
  std::string workspace;
  std::optional<std::string> code;
  std::string language;
  bool root = false;
  bool json = false;
  bool text = false;
  std::vector<std::string> rest;  // FILE and its arguments, or what follows --
  bool is_command = false;        // it followed --
};

// As understood.
struct Job {
  engine::SandboxOptions options;
  engine::Command command;
  std::string template_name;
  std::string script_path;  // in the sandbox; empty: nothing to put there
  std::string script;
  Show show = Show::kNothing;
};

Result<> read_limits(const Arguments& args, Job& job) {
  ASSIGN_OR_RETURN(job.options.cpu_millis, base::parse_cpus(args.cpus));
  ASSIGN_OR_RETURN(job.options.memory_bytes, base::parse_bytes(args.memory));
  if (!args.disk.empty()) {
    ASSIGN_OR_RETURN(job.options.disk_bytes, base::parse_bytes(args.disk));
    // To the spawner, none means its default.
    if (job.options.disk_bytes == 0) return base::fail(base::Code::kInvalid, "--disk must be at least 1M");
  }
  job.options.max_pids = args.pids;
  ASSIGN_OR_RETURN(job.command.timeout, base::parse_duration(args.timeout));
  ASSIGN_OR_RETURN(job.command.output_cap, base::parse_bytes(args.output));
  constexpr std::chrono::hours kLongest{24};
  if (job.command.timeout.count() < 1 || job.command.timeout > kLongest) {
    return base::fail(base::Code::kInvalid, "--timeout must be from 1 ms to 24 h");
  }
  return {};
}

// DIR, DIR:ro or DIR:rw; read-write unless said otherwise.
Result<> read_workspace(const Arguments& args, Job& job) {
  if (args.workspace.empty()) return {};
  std::string path = args.workspace;
  job.options.workspace_access = Access::kReadWrite;
  if (path.ends_with(":ro")) job.options.workspace_access = Access::kReadOnly;
  if (path.ends_with(":ro") || path.ends_with(":rw")) path.resize(path.size() - 3);
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved) == nullptr) return base::failed_call("workspace " + path);
  job.options.workspace = resolved;
  job.command.cwd = "/workspace";
  return {};
}

// The last one given wins, as in a shell.
void set_variable(std::vector<std::string>& environment, const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('=') + 1);
  std::erase_if(environment, [&](const auto& known) { return known.starts_with(name); });
  environment.push_back(entry);
}

Result<> read_environment(const Arguments& args, Job& job) {
  for (const std::string& entry : args.environment) {
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return base::fail(base::Code::kInvalid, fmt::format("--env wants NAME=VALUE, not '{}'", entry));
    }
    set_variable(job.command.environment, entry);
  }
  return {};
}

void append(std::vector<std::string>& argv, const std::vector<std::string_view>& words) {
  argv.insert(argv.end(), words.begin(), words.end());
}

Result<> read_script(const Arguments& args, Job& job) {
  const std::string& file = args.rest[0];
  ASSIGN_OR_RETURN(const Language* language,
                   args.language.empty() ? language_of_file(file) : language_by_name(args.language));
  ASSIGN_OR_RETURN(job.script, sys::read_file(file, wire::init::kMaxFileBytes));
  job.script_path = "/home/user/" + file.substr(file.rfind('/') + 1);
  append(job.command.argv, language->run_file);
  job.command.argv.push_back(job.script_path);
  job.command.argv.insert(job.command.argv.end(), args.rest.begin() + 1, args.rest.end());
  return {};
}

Result<> read_program(const Arguments& args, Job& job) {
  if (args.code && args.is_command) {
    return base::fail(base::Code::kInvalid, "give either -c CODE or -- COMMAND, not both");
  }
  // Code may have arguments and a script options; but what stands first and looks like an option is a
  // mistyped one of ours.
  if (!args.is_command && !args.rest.empty() && args.rest[0].starts_with('-')) {
    return base::fail(base::Code::kInvalid,
                      fmt::format("unknown option {}; see cove run --help", args.rest[0]));
  }
  if (args.code) {
    ASSIGN_OR_RETURN(const Language* language,
                     language_by_name(args.language.empty() ? "python" : args.language));
    append(job.command.argv, language->run_code);
    job.command.argv.push_back(*args.code);
    job.command.argv.insert(job.command.argv.end(), args.rest.begin(), args.rest.end());
    return {};
  }
  if (args.rest.empty()) {
    return base::fail(base::Code::kInvalid,
                      "nothing to run: give a FILE, -c CODE, or -- COMMAND; see cove run --help");
  }
  if (args.is_command) {
    job.command.argv = args.rest;
    return {};
  }
  return read_script(args, job);
}

Result<> find_template(const Globals& globals, const Arguments& args, Job& job) {
  ASSIGN_OR_RETURN(const auto store, templates::Store::open(globals.state));
  auto info = store.resolve(args.template_name);
  if (!info) {
    auto error = std::move(info).error();
    if (error.code == base::Code::kNotFound) {
      error.message += "; " + how_to_build(globals, templates::canonical_reference(args.template_name));
    }
    return std::unexpected(std::move(error));
  }
  job.options.root = info->digest;
  job.template_name = args.template_name;
  job.command.environment =
      engine::base_environment(args.root ? wire::init::User::kRoot : wire::init::User::kUser, job.options);
  for (const auto& [name, value] : info->meta.environment)
    set_variable(job.command.environment, name + "=" + value);
  return {};
}

Result<Job> understand(const Globals& globals, const Arguments& args) {
  Job job;
  RETURN_IF_ERROR(read_limits(args, job));
  RETURN_IF_ERROR(read_workspace(args, job));
  RETURN_IF_ERROR(read_program(args, job));
  RETURN_IF_ERROR(find_template(globals, args, job));
  RETURN_IF_ERROR(read_environment(args, job));
  if (args.root) {
    job.options.mode = wire::spawner::Mode::kRoot;
    job.command.user = wire::init::User::kRoot;
  }
  job.command.input = wire::init::Stdin::kStream;
  job.show = args.json ? Show::kJson : args.text ? Show::kText : Show::kNothing;
  return job;
}

Result<int> run_job(const Globals& globals, const Job& job) {
  ASSIGN_OR_RETURN(auto terminal, Terminal::open());
  ASSIGN_OR_RETURN(auto spawner, connect_spawner(globals));
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(auto sandbox, engine::Sandbox::create(spawner, job.options));
  const auto created = std::chrono::steady_clock::now();
  if (!job.script_path.empty()) RETURN_IF_ERROR(sandbox.put_file(job.script_path, job.script, 0644));
  auto outcome = sandbox.run(job.command, terminal);
  // A spawner that was replaced meanwhile is found again; the sandbox did not notice.
  auto ended_as = sandbox.destroy(spawner);
  if (!ended_as) {
    ASSIGN_OR_RETURN(spawner, connect_spawner(globals));
    ended_as = sandbox.destroy(spawner);
  }
  if (!ended_as) return std::unexpected(std::move(ended_as).error());
  if (!outcome) return std::unexpected(std::move(outcome).error());
  *outcome = engine::explained(*outcome, *ended_as);
  auto options = job.options;
  options.disk_bytes = sandbox.disk_bytes();
  const Receipt receipt{
      .outcome = *outcome,
      .options = std::move(options),
      .command = job.command,
      .sandbox = sandbox.id(),
      .template_name = job.template_name,
      .seccomp = sandbox.seccomp(),
      .setup = sandbox.setup(),
      .create_time = std::chrono::duration_cast<std::chrono::microseconds>(created - start)};
  if (const std::string line = verdict_line(receipt); !line.empty()) fmt::print(stderr, "cove: {}\n", line);
  if (job.show == Show::kJson) RETURN_IF_ERROR(terminal.line(boost::json::serialize(receipt_json(receipt))));
  if (job.show == Show::kText) fmt::print(stderr, "\n{}", receipt_text(receipt));
  return exit_code_of(*outcome);
}

int run_command(const Globals& globals, const Arguments& args) {
  if (const auto root = require_root("cove run"); !root) return report(root.error());
  const auto job = understand(globals, args);
  if (!job)
    return report(job.error(), job.error().code == base::Code::kInvalid ? kExitUsage : kExitCoveFailed);
  const auto code = run_job(globals, *job);
  if (code) return *code;
  if (code.error().message.starts_with("exec(")) {
    return report(code.error(),
                  code.error().code == base::Code::kNotFound ? kExitNotFound : kExitCannotExecute);
  }
  return report(code.error(), code.error().code == base::Code::kInvalid ? kExitUsage : kExitCoveFailed);
}

constexpr const char* kExamples = R"(
Examples:
  cove run script.py                       a file; its ending tells the language
  cove run -c 'print(6*7)'                 code, Python unless --language says otherwise
  cove run --language js -c 'console.log(1)'
  cove run -- ls -la /                     a command
  cove run --memory 1G --timeout 5m --workspace ./data:ro analyse.py --fast
  echo hello | cove run -- tr a-z A-Z      standard input goes through

Exit codes: the program's own; 124 timeout, 137 out of memory, 130 interrupted, 128+N killed by signal N,
126 cannot be executed, 127 not found, 125 cove itself failed, 2 wrong usage.
)";

}  // namespace

void add_run(CLI::App& app, const Globals& globals, Chosen& chosen) {
  auto* sub = app.add_subcommand("run",
                                 "Run a script, code or a command in a sandbox of its own:\n"
                                 "cove run [OPTIONS] FILE [ARG…] | -c CODE [ARG…] | -- COMMAND [ARG…]");
  auto args = std::make_shared<Arguments>();
  sub->footer(kExamples);
  sub->prefix_command();
  sub->add_option("--template", args->template_name,
                  "Template to run in: its name, a language and its version, or a digest")
      ->capture_default_str();
  sub->add_option("--cpus", args->cpus, "CPUs, fractions allowed")->capture_default_str();
  sub->add_option("--memory", args->memory, "Memory limit")->capture_default_str();
  sub->add_option("--disk", args->disk,
                  "Disk size (default: 1G; half of the memory where disks live in memory)");
  sub->add_option("--pids", args->pids, "Processes and threads at once")->capture_default_str();
  sub->add_option("--timeout", args->timeout, "Wall time: TERM, 2 s of grace, KILL")->capture_default_str();
  sub->add_option("--output", args->output, "Bytes of output kept; the rest is counted")
      ->capture_default_str();
  sub->add_option("--env", args->environment, "NAME=VALUE, may be repeated")->allow_extra_args(false);
  sub->add_option("--workspace", args->workspace, "Host directory at /workspace: DIR[:ro|:rw]");
  sub->add_option("-c", args->code, "Code to run");
  sub->add_option("--language", args->language, "python, javascript or bash");
  sub->add_flag("--root", args->root, "Root inside the sandbox: seven capabilities, for apt and the like");
  sub->add_flag("--json", args->json,
                "Print cause, exit code and receipt as one JSON object after the output");
  sub->add_flag("--receipt", args->text, "Print the receipt for people, on stderr");
  sub->callback([sub, args, &globals, &chosen] {
    args->rest = sub->remaining();
    args->is_command = args->rest.empty() && globals.after_dashes.has_value();
    if (globals.after_dashes) {
      // After a FILE, the dashes and what follows are the script's own arguments.
      if (!args->rest.empty()) args->rest.emplace_back("--");
      args->rest.insert(args->rest.end(), globals.after_dashes->begin(), globals.after_dashes->end());
    }
    chosen.action = [args, &globals] { return run_command(globals, *args); };
  });
}

}  // namespace cli
