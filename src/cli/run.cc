#include <fmt/format.h>

#include <boost/json.hpp>

#include "cli/context_run.h"
#include "cli/language.h"
#include "cli/terminal.h"
#include "sys/file.h"

namespace cli {

namespace {

// As typed.
struct Arguments {
  SandboxArguments sandbox;
  std::vector<std::string> code;
  std::string language;
  bool in_context = false;
  bool keeps_going = false;
  std::string out;
  std::string input;
  bool json = false;
  bool text = false;
  std::vector<std::string> rest;  // FILE and its arguments, or what follows --
  bool is_command = false;        // it followed --
};

// As understood.
struct Job {
  Ground ground;
  engine::Command command;
  std::string script_path;  // in the sandbox; empty: nothing to put there
  std::string script;
  Show show = Show::kNothing;
};

Show show_of(const Arguments& args) {
  return args.json ? Show::kJson : args.text ? Show::kText : Show::kNothing;
}

void append(std::vector<std::string>& argv, const std::vector<std::string_view>& words) {
  argv.insert(argv.end(), words.begin(), words.end());
}

Result<const Language*> language_of(const Arguments& args) {
  if (!args.language.empty()) return language_by_name(args.language);
  return args.code.empty() ? language_of_file(args.rest[0]) : language_by_name("python");
}

Result<> read_script(const Arguments& args, Job& job) {
  const std::string& file = args.rest[0];
  ASSIGN_OR_RETURN(const Language* language, language_of(args));
  RETURN_IF_ERROR(runs_as_program(*language));
  ASSIGN_OR_RETURN(job.script, sys::read_file(file, wire::init::kMaxFileBytes));
  job.script_path = "/home/user/" + file.substr(file.rfind('/') + 1);
  append(job.command.argv, language->run_file);
  job.command.argv.push_back(job.script_path);
  job.command.argv.insert(job.command.argv.end(), args.rest.begin() + 1, args.rest.end());
  return {};
}

Result<> read_code(const Arguments& args, Job& job) {
  if (args.code.size() > 1) {
    return base::fail(base::Code::kInvalid, "-c may be given once; several cells need --context");
  }
  ASSIGN_OR_RETURN(const Language* language, language_of(args));
  RETURN_IF_ERROR(runs_as_program(*language));
  append(job.command.argv, language->run_code);
  job.command.argv.push_back(args.code[0]);
  job.command.argv.insert(job.command.argv.end(), args.rest.begin(), args.rest.end());
  return {};
}

Result<> check_usage(const Arguments& args) {
  if (!args.code.empty() && args.is_command) {
    return base::fail(base::Code::kInvalid, "give either -c CODE or -- COMMAND, not both");
  }
  // Code may have arguments and a script options; but what stands first and looks like an option is a
  // mistyped one of ours.
  if (!args.is_command && !args.rest.empty() && args.rest[0].starts_with('-')) {
    return base::fail(base::Code::kInvalid,
                      fmt::format("unknown option {}; see cove run --help", args.rest[0]));
  }
  if (args.code.empty() && args.rest.empty()) {
    return base::fail(base::Code::kInvalid,
                      "nothing to run: give a FILE, -c CODE, or -- COMMAND; see cove run --help");
  }
  if (!args.in_context && (!args.out.empty() || !args.input.empty() || args.keeps_going)) {
    return base::fail(base::Code::kInvalid, "--out, --input and --keep-going go with --context");
  }
  return {};
}

Result<> read_program(const Arguments& args, Job& job) {
  if (!args.code.empty()) return read_code(args, job);
  if (!args.is_command) return read_script(args, job);
  job.command.argv = args.rest;
  return {};
}

Result<Job> understand(const Globals& globals, const Arguments& args) {
  Job job;
  RETURN_IF_ERROR(read_program(args, job));
  ASSIGN_OR_RETURN(job.ground, understand_ground(globals, args.sandbox));
  if (!job.script_path.empty()) job.ground.template_root.clear();
  job.command.environment = job.ground.environment;
  job.command.cwd = job.ground.cwd;
  job.command.user = job.ground.user;
  job.command.timeout = job.ground.timeout;
  job.command.output_cap = job.ground.output_cap;
  job.command.input = wire::init::Stdin::kStream;
  job.show = show_of(args);
  return job;
}

Result<ContextJob> understand_context(const Globals& globals, const Arguments& args) {
  ContextJob job;
  if (args.is_command || args.rest.size() > (args.code.empty() ? 1 : 0)) {
    return base::fail(base::Code::kInvalid, "--context runs a FILE or -c CODE, without arguments");
  }
  ASSIGN_OR_RETURN(job.language, language_of(args));
  job.cells = args.code;
  if (args.code.empty()) {
    ASSIGN_OR_RETURN(const std::string code, sys::read_file(args.rest[0], wire::init::kMaxExecution));
    job.cells = cells_of(code, *job.language);
  }
  ASSIGN_OR_RETURN(job.ground, understand_ground(globals, args.sandbox));
  ASSIGN_OR_RETURN(job.input, args.input.empty() ? Result<std::string>() : read_input(args.input));
  job.out = args.out;
  if (args.keeps_going) job.after_failure = AfterFailure::kGoOn;
  job.show = show_of(args);
  return job;
}

Result<int> run_job(const Globals& globals, const Job& job) {
  ASSIGN_OR_RETURN(auto terminal, Terminal::open());
  ASSIGN_OR_RETURN(auto stay, Stay::begin(globals, job.ground.options));
  if (!job.script_path.empty()) {
    RETURN_IF_ERROR(stay.sandbox().put_file(job.script_path, job.script, 0644));
  }
  WatchedFiles watched(stay, job.ground, job.show);
  auto ran = stay.sandbox().run(job.command, terminal);
  auto changes = watched.changes();
  ASSIGN_OR_RETURN(const auto outcome, stay.end_with(std::move(ran)));
  const Receipt receipt = receipt_of(stay, job.ground, outcome, std::move(changes));
  tell_people(receipt, job.show);
  if (job.show == Show::kJson) RETURN_IF_ERROR(terminal.line(boost::json::serialize(receipt_json(receipt))));
  return exit_code_of(outcome);
}

Result<int> understand_and_run(const Globals& globals, const Arguments& args) {
  RETURN_IF_ERROR(check_usage(args));
  if (args.in_context) {
    ASSIGN_OR_RETURN(const auto job, understand_context(globals, args));
    return run_cells(globals, job);
  }
  ASSIGN_OR_RETURN(const auto job, understand(globals, args));
  return run_job(globals, job);
}

int run_command(const Globals& globals, const Arguments& args) {
  if (const auto root = require_root("cove run"); !root) return report(root.error());
  const auto code = understand_and_run(globals, args);
  if (code) return *code;
  if (code.error().message.starts_with("exec(")) {
    return report(code.error(),
                  code.error().code == base::Code::kNotFound ? kExitNotFound : kExitCannotExecute);
  }
  return report_failure(code.error());
}

constexpr const char* kExamples = R"(
Examples:
  cove run script.py                       a file; its ending tells the language
  cove run -c 'print(6*7)'                 code, Python unless --language says otherwise
  cove run --language js -c 'console.log(1)'
  cove run -- ls -la /                     a command
  cove run --memory 1G --timeout 5m --workspace ./data:ro analyse.py --fast
  echo hello | cove run -- tr a-z A-Z      standard input goes through
  cove run --context -c 'x = 6' -c 'x * 7'  cells that share their state; the value of the last line is shown
  cove run --template python --context --out figures notebook.py    cells begin with '# %%'; plots become files

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
  add_sandbox_options(*sub, args->sandbox);
  sub->add_option("-c", args->code, "Code to run; with --context a cell, and may be repeated")
      ->allow_extra_args(false);
  sub->add_option("--language", args->language, "python, javascript, typescript or bash");
  sub->add_flag("--context", args->in_context, "Run cells in an interpreter that keeps its state");
  sub->add_flag("--keep-going", args->keeps_going, "With --context: run the cells after one that fails, too");
  sub->add_option("--out", args->out, "With --context: folder for figures and other rich results");
  sub->add_option("--input", args->input,
                  "With --context: file that the code may read as its input; - is stdin");
  sub->add_flag("--json", args->json,
                "Print cause, exit code and receipt as one JSON object after the output;\n"
                "with --context: everything, an event per line");
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
