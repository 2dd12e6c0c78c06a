#include <fmt/format.h>

#include "cli/command.h"

namespace cli {

namespace {

// Every option of a command, "--name" forms only.
std::string options_of(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words += " --" + name;
  }
  return words;
}

void add_case(const CLI::App& app, const std::string& path, std::string& out) {
  std::string words;
  for (const CLI::App* sub : app.get_subcommands({})) words += " " + sub->get_name();
  out += fmt::format("    '{}') words='{}' ;;\n", path, words + options_of(app));
  for (const CLI::App* sub : app.get_subcommands({})) add_case(*sub, path + " " + sub->get_name(), out);
}

std::string bash_completion(const CLI::App& app) {
  std::string cases;
  add_case(app, "cove", cases);
  return fmt::format(R"(_cove() {{
  local path=cove word words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    case "$path $word" in *' run '*) ;; *) case $word in -*) ;; *) path="$path $word" ;; esac ;; esac
  done
  case $path in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
  case ${{COMP_WORDS[COMP_CWORD]}} in -*) ;; *) COMPREPLY+=($(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}")) ;; esac
}}
complete -F _cove cove
)",
                     cases);
}

std::string zsh_completion(const CLI::App& app) {
  return "autoload -U +X bashcompinit && bashcompinit\n" + bash_completion(app);
}

}  // namespace

void add_completion(CLI::App& app, Chosen& chosen) {
  auto* sub = app.add_subcommand("completion", "Print shell completion: source <(cove completion bash)");
  sub->footer("Example: cove completion bash > /etc/bash_completion.d/cove");
  auto shell = std::make_shared<std::string>("bash");
  sub->add_option("SHELL", *shell, "bash or zsh")->check(CLI::IsMember({"bash", "zsh"}))->required();
  sub->callback([shell, &app, &chosen] {
    chosen.action = [shell, &app] {
      fmt::print("{}", *shell == "bash" ? bash_completion(app) : zsh_completion(app));
      return 0;
    };
  });
}

}  // namespace cli
