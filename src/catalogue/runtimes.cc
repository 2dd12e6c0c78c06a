#include "catalogue/runtimes.h"

#include <linux/openat2.h>

#include <array>
#include <boost/json/parse.hpp>

#include "sys/file.h"
#include "template/rules.h"

namespace catalogue {

namespace {

constexpr std::size_t kMaxStatusBytes = 8 << 20;
constexpr std::size_t kMaxPackageBytes = 64 << 10;

struct Kind {
  std::string_view language;
  std::string_view runtime;      // what starts a context
  std::string_view interpreter;  // its name on the path
  std::string_view package;      // Debian's
};

constexpr std::array kKinds = {
    Kind{"python", "usr/lib/cove/runtimes/python/start.py", "python3", "python3"},
    Kind{"javascript", "usr/lib/cove/runtimes/node/start.js", "node", "nodejs"},
    Kind{"typescript", "usr/lib/cove/runtimes/node/start.js", "node", "nodejs"},
    Kind{"bash", "usr/lib/cove/runtimes/bash/start.sh", "bash", "bash"},
};

// Links in the tree mean what they mean inside.
Result<sys::UniqueFd> open_inside(int root, const std::string& path, int flags) {
  return sys::openat2(root, path, flags, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

Result<std::string> text_inside(int root, const std::string& path, std::size_t limit) {
  ASSIGN_OR_RETURN(const auto fd, open_inside(root, path, O_RDONLY | O_NONBLOCK));
  ASSIGN_OR_RETURN(const auto status, sys::fstat(fd.get()));
  if (!S_ISREG(status.st_mode)) return base::fail(base::Code::kInvalid, path + " is no file");
  return sys::read_all(fd.get(), limit);
}

// "20.19.2+dfsg-1" is 20.19, "1:5.2" is 5.2; what is no version is nothing.
std::string major_and_minor(std::string_view version) {
  if (const auto colon = version.find(':'); colon != std::string_view::npos) version.remove_prefix(colon + 1);
  std::string out;
  int dots = 0;
  for (const char c : version.substr(0, 16)) {
    if (c == '.' && ++dots == 2) break;
    if (c != '.' && (c < '0' || c > '9')) break;
    out += c;
  }
  return out;
}

std::string debian_version(std::string_view status, std::string_view package) {
  const std::string head = "Package: " + std::string(package) + "\n";
  std::size_t at = status.starts_with(head) ? 0 : status.find("\n" + head);
  if (at == std::string_view::npos) return {};
  const std::string_view entry = status.substr(at, status.find("\n\n", at) - at);
  constexpr std::string_view kField = "\nVersion: ";
  at = entry.find(kField);
  if (at == std::string_view::npos) return {};
  const auto value = entry.substr(at + kField.size());
  return major_and_minor(value.substr(0, value.find('\n')));
}

// Of a Node that npm brought, which goes before Debian's: its package is two levels above the program.
std::string npm_version(int root, int program, const std::string& root_path) {
  const auto place = sys::readlinkat(AT_FDCWD, "/proc/self/fd/" + std::to_string(program));
  if (!place || !place->starts_with(root_path + "/")) return {};
  std::string path = place->substr(root_path.size() + 1);
  for (int level = 0; level < 2; ++level) path.resize(std::min(path.size(), path.rfind('/')));
  const auto text = text_inside(root, path + "/package.json", kMaxPackageBytes);
  boost::system::error_code error;
  const auto value = text ? boost::json::parse(*text, error) : boost::json::value();
  const auto* object = !error ? value.if_object() : nullptr;
  const auto* version = object != nullptr ? object->if_contains("version") : nullptr;
  if (version == nullptr || !version->is_string()) return {};
  return major_and_minor({version->get_string().data(), version->get_string().size()});
}

}  // namespace

Result<std::vector<Runtime>> runtimes_in(const std::string& root) {
  ASSIGN_OR_RETURN(const auto top, sys::open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  ASSIGN_OR_RETURN(const auto root_path,
                   sys::readlinkat(AT_FDCWD, "/proc/self/fd/" + std::to_string(top.get())));
  const auto status = text_inside(top.get(), "var/lib/dpkg/status", kMaxStatusBytes).value_or("");
  std::vector<Runtime> found;
  for (const Kind& kind : kKinds) {
    if (!open_inside(top.get(), std::string(kind.runtime), O_PATH)) continue;
    const std::string name(kind.interpreter);
    const auto local = open_inside(top.get(), "usr/local/bin/" + name, O_PATH);
    if (!local && !open_inside(top.get(), "usr/bin/" + name, O_PATH)) continue;
    found.push_back({.language = std::string(kind.language),
                     .version = local ? npm_version(top.get(), local->get(), root_path)
                                      : debian_version(status, kind.package)});
  }
  return found;
}

}  // namespace catalogue
