#include "template/npm_lock.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <map>
#include <optional>

namespace templates {

namespace {

namespace json = boost::json;

constexpr std::string_view kFolder = "node_modules/";

std::unexpected<base::Error> invalid(std::string message) {
  return base::fail(base::Code::kInvalid, std::move(message));
}

bool is_word(std::string_view text, std::string_view extra) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= 128 && plain(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return plain(c) || extra.contains(c); });
}

// "name" or "@scope/name"; nothing that npm takes for an option, a file or an address.
bool is_package_name(std::string_view name) {
  if (!name.starts_with('@')) return is_word(name, "._-");
  const auto slash = name.find('/');
  return slash != std::string_view::npos && is_word(name.substr(1, slash - 1), "._-") &&
         is_word(name.substr(slash + 1), "._-");
}

bool is_version(std::string_view version) {
  return is_word(version, ".+-") && version[0] >= '0' && version[0] <= '9' && version.contains('.');
}

// The name of the package that the last folder of "node_modules/a/node_modules/@b/c" is for; empty: no such
// path.
std::string_view name_in(std::string_view path) {
  std::string_view name;
  while (!path.empty()) {
    if (!path.starts_with(kFolder)) return {};
    path.remove_prefix(kFolder.size());
    const auto next = path.find("/node_modules/");
    name = path.substr(0, next);
    if (!is_package_name(name)) return {};
    path = next == std::string_view::npos ? std::string_view() : path.substr(next + 1);
  }
  return name;
}

// What the file of a package is called when npm packs it.
std::string file_name(const NpmPackage& package) {
  std::string name = package.name.starts_with('@') ? package.name.substr(1) : package.name;
  std::ranges::replace(name, '/', '-');
  return name + "-" + package.version + ".tgz";
}

std::optional<std::string> sha512_hex(std::string_view integrity) {
  constexpr std::string_view kPrefix = "sha512-";
  const auto at = integrity.find(kPrefix);
  if (at == std::string_view::npos) return std::nullopt;
  const auto text = integrity.substr(at + kPrefix.size(), 88);
  std::array<unsigned char, 66> raw{};
  const bool whole =
      text.size() == 88 && text.ends_with("==") &&
      EVP_DecodeBlock(raw.data(), reinterpret_cast<const unsigned char*>(text.data()), 88) == 66;
  if (!whole) return std::nullopt;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < 64; ++i) {
    out += kHex[raw[i] >> 4];
    out += kHex[raw[i] & 15];
  }
  return out;
}

std::string_view text_at(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  const auto* text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

bool is_true(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

// A platform field is a word or a list of them; "!x" is everything but x.
bool fits(const json::object& entry, std::string_view key, std::string_view ours) {
  const auto* value = entry.if_contains(key);
  if (value == nullptr) return true;
  json::array words;
  if (value->is_string()) words.push_back(*value);
  if (value->is_array()) words = value->get_array();
  bool has_choice = false;
  for (const auto& word : words) {
    const auto* text = word.if_string();
    if (text == nullptr) continue;
    const std::string_view view(*text);
    if (view == ours) return true;
    if (view.starts_with('!') && view.substr(1) == ours) return false;
    has_choice = has_choice || !view.starts_with('!');
  }
  return !has_choice;
}

bool is_for_us(const json::object& entry) {
  return fits(entry, "os", "linux") && fits(entry, "cpu", "x64") && fits(entry, "libc", "glibc");
}

// Nothing: a package that is not to be fetched.
Result<std::optional<NpmPackage>> read_entry(std::string_view path, const json::object& entry) {
  const auto name = name_in(path);
  if (name.empty()) return invalid("not a path of a package");
  for (const auto* key : {"link", "name"}) {
    if (entry.contains(key))
      return invalid(std::string("'") + key + "' is not supported: only packages by their own name");
  }
  const auto version = text_at(entry, "version");
  if (!is_version(version)) return invalid("version " + printable(version));
  if (is_true(entry, "inBundle") || !is_for_us(entry)) return std::nullopt;
  auto sha512 = sha512_hex(text_at(entry, "integrity"));
  if (!sha512) return invalid("no integrity of the kind sha512");
  return NpmPackage{std::string(path), std::string(name), std::string(version), *std::move(sha512)};
}

// Where a message about this key points to.
std::string place_of(std::string_view text, std::string_view origin, std::string_view key) {
  const auto at = std::min(text.find("\"" + std::string(key) + "\""), text.size());
  const auto line = 1 + std::ranges::count(text.substr(0, at == text.size() ? 0 : at), '\n');
  return printable(origin) + ":" + std::to_string(line) + ": " + printable(key);
}

Result<json::object> parse_object(std::string_view text, std::string_view origin) {
  json::stream_parser parser;
  boost::system::error_code error;
  const auto read = parser.write_some(text.data(), text.size(), error);
  const auto rest = text.substr(std::min(read, text.size()));
  if (!error && rest.find_first_not_of(" \n\r\t") != std::string_view::npos) error = json::error::extra_data;
  if (!error) parser.finish(error);
  if (error) {
    const auto line = 1 + std::ranges::count(text.substr(0, std::min(read, text.size())), '\n');
    return invalid(printable(origin) + ":" + std::to_string(line) + ": " + error.message());
  }
  auto value = parser.release();
  if (!value.is_object()) return invalid(printable(origin) + ":1: expected an object");
  return std::move(value.get_object());
}

Result<json::object*> packages_of(json::object& whole, std::string_view origin) {
  const auto* version = whole.if_contains("lockfileVersion");
  if (version == nullptr || !version->is_int64() || version->get_int64() != 3) {
    return invalid(printable(origin) + ":1: lockfileVersion 3 is expected, as npm 7 and later write it");
  }
  auto* packages = whole.if_contains("packages");
  auto* object = packages != nullptr ? packages->if_object() : nullptr;
  const auto* root = object != nullptr ? object->if_contains("") : nullptr;
  if (root == nullptr || !root->is_object() || !root->get_object().contains("dependencies")) {
    return invalid(printable(origin) + ":1: no packages, or no dependencies of the whole");
  }
  return object;
}

// Two files of one name in one folder would be one file.
Result<> check_file_names(const std::vector<NpmPackage>& packages) {
  std::map<std::string, const NpmPackage*> seen;
  for (const auto& package : packages) {
    const auto [other, is_new] = seen.emplace(file_name(package), &package);
    if (is_new || other->second->sha512 == package.sha512) continue;
    return invalid(package.path + " and " + other->second->path + " come in files of the same name");
  }
  return {};
}

}  // namespace

Result<NpmLock> parse_npm_lock(std::string_view text, std::string_view origin) {
  if (text.size() > kMaxLockBytes) return invalid(printable(origin) + ": longer than 4 MiB");
  ASSIGN_OR_RETURN(auto whole, parse_object(text, origin));
  ASSIGN_OR_RETURN(auto* const packages, packages_of(whole, origin));
  NpmLock lock;
  for (auto& [key, value] : *packages) {
    auto* entry = value.if_object();
    if (entry == nullptr) return invalid(place_of(text, origin, key) + ": expected an object");
    if (key.empty()) continue;
    auto package = read_entry(key, *entry);
    if (!package) return invalid(place_of(text, origin, key) + ": " + package.error().message);
    if (*package) lock.packages.push_back(**std::move(package));
    entry->erase("resolved");
  }
  if (lock.packages.size() > kMaxLockedPackages)
    return invalid(printable(origin) + ": more than 4096 packages");
  if (auto named = check_file_names(lock.packages); !named) {
    return invalid(printable(origin) + ": " + named.error().message);
  }
  lock.text = json::serialize(whole);
  return lock;
}

NpmInputs npm_inputs(const NpmLock& lock, const std::vector<std::string>& files) {
  // Written by us from what was read before: it has the shape that is asked for here.
  auto whole = json::parse(lock.text);
  auto& packages = whole.as_object().at("packages").as_object();
  for (std::size_t i = 0; i < files.size(); ++i) {
    packages.at(lock.packages[i].path).as_object()["resolved"] = "file:" + files[i];
  }
  json::object manifest{{"private", true}};
  for (const auto* key : {"dependencies", "optionalDependencies"}) {
    const auto* value = packages.at("").as_object().if_contains(key);
    if (value != nullptr) manifest[key] = *value;
  }
  return {.lock = json::serialize(whole), .manifest = json::serialize(manifest)};
}

}  // namespace templates
