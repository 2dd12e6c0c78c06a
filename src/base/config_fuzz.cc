// A configuration is refused with its place, or allows only absolute directories that climb nowhere.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = base::parse_config(text, "origin");
  if (!config) {
    BASE_CHECK(config.error().message.starts_with("origin:"));
    return 0;
  }
  BASE_CHECK(config->disk.pool <= 1024);
  BASE_CHECK(config->disk.default_bytes >= 1 << 20 && config->disk.default_bytes <= std::uint64_t{1} << 40);
  BASE_CHECK(!config->server.listen.empty());
  BASE_CHECK(config->limits.default_ttl <= config->limits.max_ttl);
  const auto settings = base::resolve_config({.file = text, .file_name = "origin"});
  BASE_CHECK(settings.has_value());
  const auto same = base::parse_config(settings->text(), "text");
  BASE_CHECK(same.has_value() && *same == *config);
  std::string rewritten;
  for (const std::string& root : config->workspace_roots) {
    BASE_CHECK(root.starts_with('/'));
    BASE_CHECK(root == "/" || !root.ends_with('/'));
    BASE_CHECK((root + "/").find("/../") == std::string::npos);
    BASE_CHECK(root.find('\0') == std::string::npos);
    // With a slash at its end: a directory's name may end with a blank, which a value may not.
    rewritten += "workspace_roots = " + root + "/\n";
  }
  const auto again = base::parse_config(rewritten, "again");
  BASE_CHECK(again.has_value() && again->workspace_roots == config->workspace_roots);
  return 0;
}
