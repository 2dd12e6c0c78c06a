#include "api/sandbox_wish.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cmath>

#include "api/clock.h"
#include "engine/runtime_environment.h"

namespace api {

namespace {

constexpr std::size_t kMaxLabels = 64;
constexpr std::size_t kMaxVariables = 1000;

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_label_name(std::string_view name) {
  constexpr std::string_view kBeyondFirst = "._/-";
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= 63 && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || kBeyondFirst.contains(c); });
}

bool is_template_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || c == '.' || c == '_' || c == '-'; });
}

// By name, or by language and version; python's where nobody says, which is what most want.
Result<const catalogue::Template*> template_of(Call& call, Fields& fields) {
  const auto by_name = fields.text("template", 63);
  const auto by_runtime = fields.text("runtime", 63);
  if (by_name && by_runtime) fields.refuse("runtime", "cannot stand beside 'template'");
  if (by_name && !is_template_name(*by_name)) {
    return base::fail(base::Code::kInvalid, "'template' has to be letters, digits and . _ -, in lower case");
  }
  if (by_runtime && (by_runtime->empty() || has_control_characters(*by_runtime))) {
    return base::fail(base::Code::kInvalid, "'runtime' has to be a name and a version, like python 3.11");
  }
  ASSIGN_OR_RETURN(const auto* all, call.services().templates.all());
  if (by_name) return all->resolve(*by_name);
  if (by_runtime) return all->with_runtime(*by_runtime);
  auto python = all->resolve("python");
  return python ? python : all->resolve("base");
}

void use_template(const catalogue::Template& found, SandboxWish& wish) {
  wish.template_name = found.names.empty() ? found.digest : found.names.front();
  wish.template_digest = found.digest;
  wish.wish.options.root = found.digest;
  wish.wish.cwd = found.home;
  const auto is_python = [](const catalogue::Runtime& runtime) { return runtime.language == "python"; };
  if (std::ranges::any_of(found.runtimes, is_python)) {
    wish.wish.options.furniture = wire::spawner::Furniture::kPythonContext;
  }
}

void read_limits(const Call& call, Fields& fields, SandboxWish& wish) {
  wish.timeout = call.services().config.limits.default_timeout;
  const auto* object = fields.object("limits");
  if (object == nullptr) return;
  Fields limits(*object, "limits.");
  engine::SandboxOptions& options = wish.wish.options;
  if (const auto cpus = limits.number("cpus", {0.01, 1024})) {
    options.cpu_millis = static_cast<std::uint32_t>(std::lround(*cpus * 1000));
  }
  if (const auto memory = limits.integer("memory_mb", {16, 16777216})) {
    options.memory_bytes = static_cast<std::uint64_t>(*memory) << 20;
  }
  if (const auto disk = limits.integer("disk_mb", {16, 16777216})) {
    options.disk_bytes = static_cast<std::uint64_t>(*disk) << 20;
  }
  if (const auto processes = limits.integer("max_processes", {4, 4194304})) {
    options.max_pids = static_cast<std::uint32_t>(*processes);
  }
  if (const auto timeout = read_timeout(call, limits)) wish.timeout = *timeout;
  if (const auto checked = limits.check(); !checked) fields.refuse(checked.error());
}

void read_network(Call& call, Fields& fields, SandboxWish& wish) {
  const auto* object = fields.object("network");
  if (object == nullptr) return;
  Fields network(*object, "network.");
  const auto tier = network.choice("tier", {"sandbox", "restricted", "standard", "elevated", "unrestricted"});
  if (const auto checked = network.check(); !checked) fields.refuse(checked.error());
  if (tier) wish.network = *tier;
  if (wish.network == "sandbox" || wish.network == "restricted") return;
  fields.refuse(
      call.refuse(problem("unsupported",
                          fmt::format("this server has no network tier '{}': sandboxes reach nothing",
                                      wish.network),
                          "leave 'network' out"))
          .error());
}

std::optional<std::chrono::milliseconds> read_span(Fields& fields, std::string_view name,
                                                   std::chrono::milliseconds most) {
  return fields.seconds(name, {1, seconds_of(most)});
}

}  // namespace

std::optional<std::chrono::milliseconds> read_timeout(const Call& call, Fields& fields) {
  return fields.seconds("timeout", {0.001, seconds_of(call.services().config.limits.max_timeout)});
}

std::optional<std::chrono::milliseconds> read_ttl(const Call& call, Fields& fields) {
  return read_span(fields, "ttl", call.services().config.limits.max_ttl);
}

std::optional<std::chrono::milliseconds> read_idle_timeout(const Call& call, Fields& fields) {
  return read_span(fields, "idle_timeout", call.services().config.limits.max_ttl);
}

std::optional<std::string> read_labels(Fields& fields) {
  const auto labels = fields.texts("labels", kMaxLabels);
  if (!labels) return std::nullopt;
  boost::json::object object;
  for (const auto& [name, value] : *labels) {
    if (!is_label_name(name)) {
      fields.refuse("labels", "has a name that is not 1 to 63 letters, digits and . _ / -");
    } else if (value.size() > 255 || has_control_characters(value)) {
      fields.refuse("labels",
                    fmt::format("has a value of '{}' that is longer than 255 bytes or no plain text", name));
    }
    object[name] = value;
  }
  return boost::json::serialize(object);
}

std::vector<std::string> read_environment(Fields& fields) {
  std::vector<std::string> entries;
  const auto variables = fields.texts("env", kMaxVariables);
  if (!variables) return entries;
  for (const auto& [name, value] : *variables) {
    if (name.empty() || name.size() > 255 ||
        name.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
      fields.refuse("env", "has a name that is empty, longer than 255 bytes, or has = or NUL in it");
    } else if (value.size() >= wire::init::kMaxString - name.size() - 2 || value.contains('\0')) {
      fields.refuse("env",
                    fmt::format("has a value of '{}' that is longer than 128 KiB or has NUL in it", name));
    }
    entries.push_back(name + "=" + value);
  }
  return entries;
}

void read_ground(Call& call, Fields& fields, SandboxWish& wish) {
  const auto found = template_of(call, fields);
  if (!found) {
    fields.refuse(found.error());
  } else {
    use_template(**found, wish);
  }
  read_limits(call, fields, wish);
  read_network(call, fields, wish);
  wish.wish.environment = engine::base_environment(wish.wish.user, wish.wish.options);
  if (found) {
    for (const auto& [name, value] : (*found)->environment) {
      engine::set_variables(wish.wish.environment, {name + "=" + value});
    }
  }
  for (const std::string& entry : read_environment(fields)) {
    wish.environment_names.push_back(entry.substr(0, entry.find('=')));
    engine::set_variables(wish.wish.environment, {entry});
  }
}

Result<SandboxWish> read_sandbox_wish(Call& call) {
  const auto& limits = call.services().config.limits;
  Fields fields(call.body());
  SandboxWish wish;
  read_ground(call, fields, wish);
  if (auto name = fields.text("name", 100)) {
    if (name->empty() || has_control_characters(*name))
      fields.refuse("name", "has to be 1 to 100 bytes of plain text");
    wish.name = *std::move(name);
  }
  if (auto labels = read_labels(fields)) wish.labels = *std::move(labels);
  wish.wish.ttl = read_ttl(call, fields).value_or(limits.default_ttl);
  wish.wish.idle_timeout = read_idle_timeout(call, fields).value_or(limits.default_idle_timeout);
  if (const auto project = fields.text("project", 32)) {
    auto id = store::ProjectId::parse(*project);
    if (!id) fields.refuse("project", "is no id of a project");
    if (id) wish.project = *std::move(id);
  }
  RETURN_IF_ERROR(fields.check());
  return wish;
}

}  // namespace api
