#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>

#include "cli/command.h"
#include "cli/settings.h"

namespace cli {

namespace {

struct Arguments {
  std::vector<std::string> flags;
  bool json = false;
  bool markdown = false;
};

std::string_view name_of(base::ConfigSource source) {
  switch (source) {
    case base::ConfigSource::kDefault:
      return "default";
    case base::ConfigSource::kFile:
      return "file";
    case base::ConfigSource::kEnvironment:
      return "environment";
    case base::ConfigSource::kFlag:
      return "flag";
  }
  return "default";
}

boost::json::object json_of(const base::Setting& setting) {
  return {{"key", setting.key},
          {"values", boost::json::array(setting.values.begin(), setting.values.end())},
          {"source", name_of(setting.source)},
          {"origin", setting.origin},
          {"default", setting.default_text},
          {"meaning", setting.doc}};
}

void print_json(const base::Settings& settings) {
  boost::json::array all;
  for (const base::Setting& setting : settings.all) all.push_back(json_of(setting));
  fmt::print("{}\n", boost::json::serialize(all));
}

void print_table(const base::Settings& settings) {
  for (const base::Setting& setting : settings.all) {
    const auto value = fmt::format("{}", fmt::join(setting.values, ", "));
    fmt::print("{:<24} {:<24} {}\n", setting.key, value.empty() ? "-" : value,
               setting.origin.empty() ? "default" : setting.origin);
  }
}

Result<> show(const Globals& globals, const Arguments& args) {
  if (args.markdown) {
    fmt::print("{}", base::config_markdown());
    return {};
  }
  ASSIGN_OR_RETURN(const auto settings, load_settings(globals, args.flags));
  if (args.json) {
    print_json(settings);
  } else {
    print_table(settings);
  }
  return {};
}

}  // namespace

void add_config(CLI::App& app, const Globals& globals, Chosen& chosen) {
  auto* sub =
      app.add_subcommand("config", "Every key of the configuration, its value and where it comes from");
  sub->fallthrough();
  auto args = std::make_shared<Arguments>();
  sub->add_option("--set", args->flags, "KEY=VALUE as `cove serve` takes it, to see what it would mean")
      ->allow_extra_args(false);
  auto* json = sub->add_flag("--json", args->json, "As JSON, with what each key means");
  sub->add_flag("--markdown", args->markdown, "The documentation of all keys")->excludes(json);
  sub->footer("Example: cove config --json | jq '.[] | select(.source != \"default\")'");
  sub->callback([args, &globals, &chosen] {
    chosen.action = [args, &globals] {
      const auto done = show(globals, *args);
      return done ? 0 : report_failure(done.error());
    };
  });
}

}  // namespace cli
