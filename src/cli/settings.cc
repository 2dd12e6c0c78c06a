#include "cli/settings.h"

#include "sys/root_file.h"

namespace cli {

Result<base::Settings> load_settings(const Globals& globals, const std::vector<std::string>& flags) {
  // The spawner looks for it from "/".
  if (!globals.config.empty() && !globals.config.starts_with('/')) {
    return base::fail(base::Code::kInvalid, "--config must be an absolute path");
  }
  const std::string path = globals.config.empty() ? base::Config::kDefaultPath : globals.config;
  auto text = sys::read_root_file(path);
  const bool is_absent = !text && text.error().code == base::Code::kNotFound && globals.config.empty();
  if (!text && !is_absent) return std::unexpected(std::move(text).error());
  return base::resolve_config({.file = is_absent ? "" : std::string_view(*text),
                               .file_name = path,
                               .environment = base::process_environment,
                               .flags = flags});
}

}  // namespace cli
