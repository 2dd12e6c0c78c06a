#include <fmt/format.h>

#include <array>

#include "cli/context_run.h"
#include "cli/line_editor.h"
#include "cli/stay.h"
#include "cli/text_events.h"
#include "engine/lasting_context.h"

namespace cli {

namespace {

using engine::Completeness;

struct Arguments {
  SandboxArguments sandbox;
  std::string language = "python";
  std::string out = "cove-output";
};

// Somebody sits before it and has Ctrl-C.
constexpr const char* kLongest = "24h";

std::string history_path(const Language& language) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return fmt::format("{}/.local/state/cove/history-{}", home, language.name);
}

bool wants_to_leave(const std::string& cell) {
  constexpr std::array kWords{"exit\n", "quit\n", "exit()\n", "quit()\n", ".exit\n"};
  return std::ranges::find(kWords, cell) != kWords.end();
}

// Reads cells and runs them until the user leaves.
class Repl {
 public:
  Repl(const Ground& ground, const Language& language, Terminal& terminal, LineEditor& editor)
      : ground_(ground), language_(language), terminal_(terminal), editor_(editor) {}

  // The exit code.
  Result<int> run(engine::LastingContext& context, CellEvents& events);

 private:
  // Nothing: the user leaves. An empty one was given up.
  Result<std::optional<std::string>> read_cell(engine::LastingContext& context);
  Result<bool> is_whole(const std::string& cell, engine::LastingContext& context) const;

  const Ground& ground_;
  const Language& language_;
  Terminal& terminal_;
  LineEditor& editor_;
  int last_ = 0;
};

Result<int> Repl::run(engine::LastingContext& context, CellEvents& events) {
  while (true) {
    ASSIGN_OR_RETURN(const auto cell, read_cell(context));
    if (!cell || wants_to_leave(*cell)) return last_;
    if (cell->find_first_not_of(" \t\n") == std::string::npos) continue;
    editor_.remember(*cell);
    terminal_.forget_interrupts();
    ASSIGN_OR_RETURN(const auto outcome, context.execute(cell_of(ground_, language_, *cell), events));
    if (outcome.cause == base::Cause::kSandboxEnded) {
      return base::fail(base::Code::kUnavailable, "the sandbox has ended");
    }
    if (outcome.cause != base::Cause::kOk && outcome.cause != base::Cause::kError) {
      fmt::print(stderr, "cove: {}\n", base::name_of(outcome.cause));
    }
    last_ = outcome.cause == base::Cause::kOk ? 0 : 1;
  }
}

Result<std::optional<std::string>> Repl::read_cell(engine::LastingContext& context) {
  std::string cell;
  while (true) {
    const auto read = editor_.read(cell.empty() ? fmt::format("{}> ", language_.name) : "... ");
    if (read.end == LineEditor::End::kInterrupted) return std::string();
    if (read.end == LineEditor::End::kOver) {
      return cell.empty() ? std::optional<std::string>() : std::optional(std::move(cell));
    }
    cell += read.line;
    // Two empty lines end a cell, whatever the runtime would still like to see.
    if (cell.ends_with("\n\n\n")) return cell;
    ASSIGN_OR_RETURN(const bool whole, is_whole(cell, context));
    if (whole) return cell;
  }
}

Result<bool> Repl::is_whole(const std::string& cell, engine::LastingContext& context) const {
  ASSIGN_OR_RETURN(const auto judgement, context.check(cell, std::string(language_.dialect)));
  return judgement != Completeness::kIncomplete;  // what is invalid is told by running it
}

Result<int> talk(const Globals& globals, const Arguments& args) {
  ASSIGN_OR_RETURN(const Language* language, language_by_name(args.language));
  ASSIGN_OR_RETURN(const auto ground, understand_ground(globals, args.sandbox));
  ASSIGN_OR_RETURN(auto terminal, Terminal::open());
  ASSIGN_OR_RETURN(const auto editor, LineEditor::open(terminal.interrupt_fd(), history_path(*language)));
  ASSIGN_OR_RETURN(auto stay, Stay::begin(globals, options_for_context(ground, *language)));
  TextEvents events(terminal, OutputFiles::of_images_in(args.out));
  engine::LastingContext context(stay.sandbox(), stay.spawner(), context_options(ground, *language));
  auto code = explained_start(context.start(), ground, *language);
  auto ended = code ? Repl(ground, *language, terminal, *editor).run(context, events)
                    : Result<int>(std::unexpected(std::move(code).error()));
  RETURN_IF_ERROR(stay.end());
  return ended;
}

int repl_command(const Globals& globals, const Arguments& args) {
  if (const auto root = require_root("cove repl"); !root) return report(root.error());
  const auto code = talk(globals, args);
  if (code) return *code;
  return report_failure(code.error());
}

constexpr const char* kExamples = R"(
Examples:
  cove repl                                Python, in the template base
  cove repl --template python --out plots  with pandas, matplotlib and others
  cove repl --language js                  or ts, or bash
  cove repl < cells.py                     without a terminal: cells from a file, one after the other

Ctrl-C interrupts what runs (twice: ends it, and its state), or gives up the line; Ctrl-D, exit or quit leaves.
A cell ends when it is complete; two empty lines end it in any case. Images are saved and named.
)";

}  // namespace

void add_repl(CLI::App& app, const Globals& globals, Chosen& chosen) {
  auto* sub = app.add_subcommand("repl", "Talk to an interpreter in a sandbox of its own; its state lasts");
  auto args = std::make_shared<Arguments>();
  args->sandbox.timeout = kLongest;
  sub->footer(kExamples);
  add_sandbox_options(*sub, args->sandbox);
  sub->add_option("--language", args->language, "python, javascript, typescript or bash")
      ->capture_default_str();
  sub->add_option("--out", args->out, "Folder for images, made when there is one")->capture_default_str();
  sub->callback([args, &globals, &chosen] {
    chosen.action = [args, &globals] { return repl_command(globals, *args); };
  });
}

}  // namespace cli
