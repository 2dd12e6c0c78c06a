#include "template/mirror.h"

#include <algorithm>
#include <array>
#include <set>

#include "template/command.h"

namespace templates {

namespace {

constexpr std::string_view kMark = "cove-target";
constexpr std::string_view kKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

// What decides how bytes travel. Options about trust (AllowInsecure…, Signed-By) are knowingly left out;
// Check-Valid-Until is in, since a host on a frozen mirror needs it to install anything at all.
constexpr std::array<std::string_view, 7> kForwarded = {
    "Acquire::http::",         "Acquire::https::",    "Acquire::Retries ",
    "Acquire::ForceIPv4 ",     "Acquire::ForceIPv6 ", "Acquire::Check-Valid-Until ",
    "Acquire::Max-FutureTime "};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

bool is_plain_uri(std::string_view uri) {
  return uri.contains("://") && !has_control_character(uri) && uri.find_first_of(" \"'[]\\") == uri.npos;
}

// "-security" of "bookworm-security"; empty for "bookworm" itself.
std::string_view role_of(std::string_view codename) {
  const auto dash = codename.find('-');
  return dash == std::string_view::npos ? std::string_view() : codename.substr(dash);
}

std::string without_credentials(const std::string& uri) {
  const auto start = uri.find("://") + 3;
  const auto host_end = std::min(uri.find('/', start), uri.size());
  const auto at = uri.rfind('@', host_end);
  if (at == std::string::npos || at < start) return uri;
  return uri.substr(0, start) + uri.substr(at + 1);
}

}  // namespace

Result<std::vector<Mirror::Source>> parse_index_targets(std::string_view text, std::string_view suite) {
  std::vector<Mirror::Source> sources;
  std::set<std::string> seen;
  constexpr std::array<std::string_view, 3> kRoles = {"", "-updates", "-security"};
  for (const auto line : split(text, '\n')) {
    const auto fields = split(line, '|');  // mark, kind, origin, codename, uri
    if (fields.size() != 5 || fields[0] != kMark || fields[1] != "Packages" || fields[2] != "Debian")
      continue;
    const auto role = role_of(fields[3]);
    if (std::ranges::find(kRoles, role) == kRoles.end() || !is_plain_uri(fields[4])) continue;
    Mirror::Source source{.uri = std::string(fields[4]), .suite = std::string(suite) + std::string(role)};
    if (seen.insert(source.uri + " " + source.suite).second) sources.push_back(std::move(source));
  }
  const auto is_release = [&](const Mirror::Source& source) { return source.suite == suite; };
  if (std::ranges::any_of(sources, is_release)) return sources;
  return base::fail(base::Code::kUnavailable,
                    "the host's apt knows no Debian archive; configure one and run apt-get update");
}

std::string parse_apt_config(std::string_view dump) {
  std::string out;
  for (const auto line : split(dump, '\n')) {
    const auto forwarded = [&](std::string_view prefix) { return line.starts_with(prefix); };
    // Empty values are only the inner nodes of the option tree.
    if (!line.ends_with("\";") || line.ends_with(" \"\";") || has_control_character(line)) continue;
    if (std::ranges::any_of(kForwarded, forwarded)) out.append(line).append("\n");
  }
  return out;
}

Result<Mirror> host_mirror(std::string_view suite) {
  const auto format = std::string(kMark) + "|$(CREATED_BY)|$(ORIGIN)|$(CODENAME)|$(REPO_URI)";
  ASSIGN_OR_RETURN(const auto targets, capture({"apt-get", "indextargets", "--format", format}));
  ASSIGN_OR_RETURN(const auto config, capture({"apt-config", "dump"}));
  Mirror mirror;
  ASSIGN_OR_RETURN(mirror.sources, parse_index_targets(targets, suite));
  mirror.apt_options = parse_apt_config(config);
  return mirror;
}

std::string format_sources(const std::vector<Mirror::Source>& sources, Credentials credentials) {
  std::string out;
  for (const auto& source : sources) {
    const auto uri = credentials == Credentials::kKeep ? source.uri : without_credentials(source.uri);
    out += "Types: deb\nURIs: " + uri + "\nSuites: " + source.suite +
           "\nComponents: main\nSigned-By: " + std::string(kKeyring) + "\n\n";
  }
  return out;
}

}  // namespace templates
