#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/units.h"
#include "catalogue/publish.h"
#include "cli/build_progress.h"
#include "cli/build_steps.h"
#include "cli/command.h"
#include "cli/own_recipes.h"
#include "sys/file.h"
#include "sys/private_mounts.h"
#include "template/archive_export.h"
#include "template/archive_import.h"
#include "template/build.h"
#include "template/delete_tree.h"
#include "template/recipe_files.h"
#include "template/reference.h"
#include "template/store.h"

namespace cli {

namespace {

struct Arguments {
  std::string name;
  std::string recipe;
  std::string file;
  bool force = false;
  bool json = false;
};

boost::json::object json_of(const templates::TemplateInfo& info) {
  boost::json::array names(info.names.begin(), info.names.end());
  boost::json::object environment;
  for (const auto& [name, value] : info.meta.environment) environment[name] = value;
  return {{"names", std::move(names)},   {"digest", info.digest},
          {"suite", info.meta.suite},    {"created", info.meta.created},
          {"bytes", info.meta.bytes},    {"entries", info.meta.entries},
          {"user", info.meta.user.name}, {"environment", std::move(environment)},
          {"problem", info.problem},     {"version", info.meta.version}};
}

Result<> build(const Globals& globals, const Arguments& args);

// What a recipe begins with is built too when Cove has its recipe: below a recipe of Cove's own so that it is
// up to date, below another's when it is not here.
Result<> build_parent(const Globals& globals, const Arguments& args, const std::string& parent) {
  if (parent.empty() || !own_recipe(globals, parent)) return {};
  ASSIGN_OR_RETURN(const auto store, templates::Store::open(globals.state));
  if (!args.recipe.empty() && store.resolve(parent)) return {};
  return build(globals, {.name = parent});
}

Result<> build(const Globals& globals, const Arguments& args) {
  RETURN_IF_ERROR(require_root("cove template build"));
  // One of Cove's own may be said in other words; a name that is given to something new is meant as it is.
  const auto name = args.recipe.empty() ? templates::canonical_reference(args.name) : args.name;
  auto file = args.recipe.empty() ? own_recipe(globals, name) : Result<std::string>(args.recipe);
  if (!file) return std::unexpected(std::move(file).error());
  ASSIGN_OR_RETURN(auto recipe, templates::load_recipe(*file, shared_folder(globals)));
  ASSIGN_OR_RETURN(const auto store, templates::Store::open(globals.state));
  RETURN_IF_ERROR(build_parent(globals, args, recipe.from));
  ASSIGN_OR_RETURN(auto progress, BuildProgress::open());
  // The builder's own mounts are nobody else's business, and go with it.
  RETURN_IF_ERROR(sys::enter_private_mounts());
  SandboxedSteps steps(globals, store, progress.cancel());
  const templates::BuildRequest request{
      .name = name,
      .recipe = std::move(recipe),
      .rebuild = args.force ? templates::Rebuild::kAlways : templates::Rebuild::kIfChanged,
      .cancel = progress.cancel()};
  auto outcome = templates::build(store, request, progress, steps);
  progress.finish();
  if (!outcome) return std::unexpected(std::move(outcome).error());
  RETURN_IF_ERROR(catalogue::publish(globals.state));
  fmt::print("template {} {}: {}, {}\n", name,
             outcome->what == templates::BuildOutcome::What::kBuilt ? "built" : "is up to date",
             outcome->info.digest.substr(0, 12), base::format_bytes(outcome->info.meta.bytes));
  return {};
}

Result<> list(const Globals& globals, const Arguments& args) {
  RETURN_IF_ERROR(require_root("cove template list"));
  ASSIGN_OR_RETURN(const auto store, templates::Store::open(globals.state));
  ASSIGN_OR_RETURN(const auto infos, store.list());
  if (args.json) {
    boost::json::array all;
    for (const auto& info : infos) all.push_back(json_of(info));
    fmt::print("{}\n", boost::json::serialize(all));
    return {};
  }
  if (infos.empty()) fmt::print("no templates; build one with: cove template build base\n");
  for (const auto& info : infos) {
    std::string names;
    for (const auto& name : info.names) names += (names.empty() ? "" : ", ") + name;
    fmt::print("{:<20} {}  {:>10}  {}{}\n", names.empty() ? "(no name)" : names, info.digest.substr(0, 12),
               base::format_bytes(info.meta.bytes), info.meta.created,
               info.problem.empty() ? "" : "  unreadable: " + info.problem);
  }
  return {};
}

Result<> show(const Globals& globals, const Arguments& args) {
  RETURN_IF_ERROR(require_root("cove template show"));
  ASSIGN_OR_RETURN(const auto store, templates::Store::open(globals.state));
  ASSIGN_OR_RETURN(const auto info, store.resolve(args.name));
  if (args.json) {
    fmt::print("{}\n", boost::json::serialize(json_of(info)));
    return {};
  }
  fmt::print(
      "digest       {}\nsuite        {}\ncreated      {}\nsize         {} in {} files and directories\n"
      "user         {} ({})\nroot         {}\n",
      info.digest, info.meta.suite, info.meta.created, base::format_bytes(info.meta.bytes), info.meta.entries,
      info.meta.user.name, info.meta.user.uid, info.root);
  for (const auto& name : info.names) fmt::print("name         {}\n", name);
  for (const auto& [name, value] : info.meta.environment) fmt::print("environment  {}={}\n", name, value);
  return {};
}

Result<> remove(const Globals& globals, const Arguments& args) {
  RETURN_IF_ERROR(require_root("cove template rm"));
  ASSIGN_OR_RETURN(const auto store, templates::Store::open(globals.state));
  ASSIGN_OR_RETURN(const auto info, store.resolve(args.name));
  ASSIGN_OR_RETURN(auto spawner, connect_spawner(globals));
  RETURN_IF_ERROR(discard(spawner, store, info.digest));
  RETURN_IF_ERROR(catalogue::publish(globals.state));
  fmt::print("removed template {}\n", info.digest.substr(0, 12));
  return {};
}

Result<> export_file(const Globals& globals, const Arguments& args) {
  RETURN_IF_ERROR(require_root("cove template export"));
  ASSIGN_OR_RETURN(const auto store, templates::Store::open(globals.state));
  ASSIGN_OR_RETURN(const auto info, store.resolve(args.name));
  ASSIGN_OR_RETURN(auto progress, BuildProgress::open());
  auto done = templates::export_template(info, args.file, progress, progress.cancel());
  progress.finish();
  if (!done) return done;
  fmt::print("exported template {} to {}\n", info.digest.substr(0, 12), args.file);
  return {};
}

Result<> import_file(const Globals& globals, const Arguments& args) {
  RETURN_IF_ERROR(require_root("cove template import"));
  ASSIGN_OR_RETURN(const auto store, templates::Store::open(globals.state));
  ASSIGN_OR_RETURN(auto progress, BuildProgress::open());
  const templates::ImportRequest request{
      .file = args.file,
      .name = args.name,
      .if_taken = args.force ? templates::IfTaken::kReplace : templates::IfTaken::kFail,
      .cancel = progress.cancel()};
  auto info = templates::import_template(store, request, progress);
  progress.finish();
  if (!info) return std::unexpected(std::move(info).error());
  RETURN_IF_ERROR(catalogue::publish(globals.state));
  fmt::print("imported template {}: {}\n", info->names.empty() ? "" : info->names.front(),
             info->digest.substr(0, 12));
  return {};
}

using Action = Result<> (*)(const Globals&, const Arguments&);

struct Binder {
  const Globals& globals;
  Chosen& chosen;
  void operator()(CLI::App* sub, const std::shared_ptr<Arguments>& args, Action action) const {
    sub->callback([args, action, this_globals = &globals, this_chosen = &chosen] {
      this_chosen->action = [args, action, this_globals] {
        const auto done = action(*this_globals, *args);
        return done ? 0 : report_failure(done.error());
      };
    });
  }
};

}  // namespace

void add_template(CLI::App& app, const Globals& globals, Chosen& chosen) {
  auto* sub =
      app.add_subcommand("template", "Build and manage templates: the root file systems of sandboxes");
  sub->require_subcommand(1);
  sub->footer("Example: cove template build base && cove template list");
  auto args = std::make_shared<Arguments>();
  const Binder bind{globals, chosen};

  auto* build_command = sub->add_subcommand("build", "Build a template from its recipe");
  build_command->add_option("NAME", args->name, "What to call it; also names the recipe")->required();
  build_command->add_option("--recipe", args->recipe, "Recipe file (templates/NAME.recipe)");
  build_command->add_flag("--force", args->force, "Build even if the same recipe was built before");
  build_command->footer(
      "Examples:\n  cove template build base\n  cove template build mine --recipe ./mine.recipe");
  bind(build_command, args, build);

  auto* list_command = sub->add_subcommand("list", "All templates");
  list_command->add_flag("--json", args->json, "As JSON");
  list_command->footer("Example: cove template list --json");
  bind(list_command, args, list);

  auto* show_command = sub->add_subcommand("show", "One template");
  show_command->add_option("TEMPLATE", args->name, "Name, digest or the beginning of one")->required();
  show_command->add_flag("--json", args->json, "As JSON");
  show_command->footer("Example: cove template show base");
  bind(show_command, args, show);

  auto* rm_command = sub->add_subcommand("rm", "Remove a template that no sandbox uses");
  rm_command->add_option("TEMPLATE", args->name, "Name, digest or the beginning of one")->required();
  rm_command->footer("Example: cove template rm base");
  bind(rm_command, args, remove);

  auto* export_command = sub->add_subcommand("export", "Write a template to one file");
  export_command->add_option("TEMPLATE", args->name, "Name, digest or the beginning of one")->required();
  export_command->add_option("FILE", args->file, "A new file, for example base.tar.zst")->required();
  export_command->footer("Example: cove template export base base.tar.zst");
  bind(export_command, args, export_file);

  auto* import_command = sub->add_subcommand("import", "Bring in a template that `export` wrote");
  import_command->add_option("FILE", args->file, "What `cove template export` wrote")->required();
  import_command->add_option("--name", args->name, "What to call it here (its own name)");
  import_command->add_flag("--force", args->force, "Take the name over from another template");
  import_command->footer("Example: cove template import base.tar.zst --name base");
  bind(import_command, args, import_file);
}

}  // namespace cli
