#include "template/pip_lock.h"

#include <algorithm>
#include <set>

namespace templates {

namespace {

std::unexpected<base::Error> invalid(std::string message) {
  return base::fail(base::Code::kInvalid, std::move(message));
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_word(std::string_view text, std::string_view extra) {
  const auto allowed = [&](char c) { return is_letter_or_digit(c) || extra.contains(c); };
  return !text.empty() && text.size() <= 128 && is_letter_or_digit(text.front()) &&
         is_letter_or_digit(text.back()) && std::ranges::all_of(text, allowed);
}

// As indexes compare names: without case, and with one kind of separator.
std::string normal_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool separator = std::string_view("._-").contains(c);
    if (separator && out.ends_with('-')) continue;
    out += separator ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return out;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const auto start = line.find_first_not_of(' ');
    if (start == std::string_view::npos) return words;
    line.remove_prefix(start);
    const auto end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

Result<LockedPackage> parse_requirement(std::string_view word) {
  const auto equals = word.find("==");
  if (equals == std::string_view::npos) return invalid(printable(word) + ": expected 'name==version'");
  const auto name = word.substr(0, equals);
  const auto version = word.substr(equals + 2);
  if (!is_word(name, "._-")) return invalid("package name " + printable(name));
  if (!is_word(version, ".!+_-")) return invalid("version " + printable(version) + " of " + printable(name));
  return LockedPackage{.name = std::string(name), .version = std::string(version), .hashes = {}};
}

Result<LockedPackage> parse_package(std::string_view line) {
  constexpr std::string_view kHash = "--hash=sha256:";
  const auto words = words_of(line);
  if (words.empty()) return invalid("expected 'name==version'");
  ASSIGN_OR_RETURN(auto package, parse_requirement(words.front()));
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto hash = words[i].substr(std::min(kHash.size(), words[i].size()));
    if (!words[i].starts_with(kHash) || !is_digest(hash)) {
      return invalid(printable(words[i]) + ": expected '--hash=sha256:' and 64 hex digits");
    }
    package.hashes.emplace_back(hash);
  }
  if (package.hashes.empty()) return invalid(package.name + " has no --hash=sha256:…");
  return package;
}

// Packages while the lines of a lock come in.
class Parser {
 public:
  Result<> line(std::string_view text);
  Result<std::vector<LockedPackage>> finish() &&;

 private:
  std::string pending_;  // lines that ended with a backslash
  std::set<std::string> names_;
  std::vector<LockedPackage> packages_;
};

Result<> Parser::line(std::string_view text) {
  if (has_control_character(text)) return invalid("control character");
  const auto first = text.find_first_not_of(' ');
  const bool is_blank = first == std::string_view::npos || text[first] == '#';
  if (pending_.empty() && is_blank) return {};
  const bool goes_on = text.ends_with('\\');
  if (goes_on) text.remove_suffix(1);
  pending_.append(text);
  if (goes_on) {
    pending_ += ' ';
    return {};
  }
  ASSIGN_OR_RETURN(auto package, parse_package(std::exchange(pending_, {})));
  if (!names_.insert(normal_name(package.name)).second) return invalid(package.name + " appears twice");
  packages_.push_back(std::move(package));
  if (packages_.size() > kMaxLockedPackages) return invalid("more than 4096 packages");
  return {};
}

Result<std::vector<LockedPackage>> Parser::finish() && {
  if (!pending_.empty()) return invalid("the last line ends with a backslash");
  if (packages_.empty()) return invalid("no packages");
  return std::move(packages_);
}

}  // namespace

Result<std::vector<LockedPackage>> parse_pip_lock(std::string_view text, std::string_view origin) {
  if (text.size() > kMaxLockBytes) return invalid(printable(origin) + ": longer than 4 MiB");
  Parser parser;
  std::size_t number = 0;
  const auto at = [&](base::Error error) {
    return std::unexpected(
        base::with_context(printable(origin) + ":" + std::to_string(number), std::move(error)));
  };
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    ++number;
    if (auto done = parser.line(text.substr(0, end)); !done) return at(std::move(done).error());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  auto packages = std::move(parser).finish();
  if (!packages) return at(std::move(packages).error());
  return packages;
}

std::string format_requirements(const std::vector<LockedPackage>& packages) {
  std::string text;
  for (const auto& package : packages) {
    text += package.name + "==" + package.version;
    for (const auto& hash : package.hashes) text += " --hash=sha256:" + hash;
    text += "\n";
  }
  return text;
}

}  // namespace templates
