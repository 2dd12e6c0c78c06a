#include "spawner/records.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "sys/directory.h"

namespace spawner {

namespace {

constexpr std::string_view kSuffix = ".record";

std::string record_path(const base::Paths& paths, const base::SandboxId& id) {
  return paths.sandboxes + "/" + id.text() + std::string(kSuffix);
}

// Takes "key=value\n" off the front.
std::optional<std::string> take_line(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key) || text.size() <= key.size() || text[key.size()] != '=') return std::nullopt;
  text.remove_prefix(key.size() + 1);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string value(text.substr(0, end));
  text.remove_prefix(end + 1);
  return value;
}

template <class Number>
bool to_number(const std::string& text, Number& out) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

}  // namespace

std::string format_record(const Record& record) {
  return fmt::format("id={}\nfirst_id={}\npid={}\nroot={}\n", record.id.text(), record.first_id, record.pid,
                     record.root);
}

Result<Record> parse_record(const std::string& text) {
  std::string_view left = text;
  const auto id = take_line(left, "id");
  const auto first_id = take_line(left, "first_id");
  const auto pid = take_line(left, "pid");
  const auto root = take_line(left, "root");
  if (!id || !first_id || !pid || !root || !left.empty()) {
    return base::fail(base::Code::kInvalid, "malformed sandbox record");
  }
  ASSIGN_OR_RETURN(auto sandbox, base::SandboxId::parse(*id));
  Record record{.id = std::move(sandbox), .root = *root};
  if (!to_number(*first_id, record.first_id) || !to_number(*pid, record.pid) || record.pid <= 1) {
    return base::fail(base::Code::kInvalid, "malformed number in a sandbox record");
  }
  return record;
}

Result<> save_record(const base::Paths& paths, const Record& record) {
  // Written beside and renamed: a record is there whole or not at all.
  const std::string path = record_path(paths, record.id);
  const std::string draft = path + ".new";
  auto saved = sys::create_file_at(AT_FDCWD, draft, format_record(record), 0600);
  if (saved) saved = sys::renameat(AT_FDCWD, draft, AT_FDCWD, path);
  // A draft that no rename has taken away is of no use to anybody.
  if (!saved) (void)sys::unlinkat(AT_FDCWD, draft);
  return saved;
}

Result<> remove_record(const base::Paths& paths, const base::SandboxId& id) {
  auto done = sys::unlinkat(AT_FDCWD, record_path(paths, id));
  if (!done && done.error().code == base::Code::kNotFound) return {};
  return done;
}

Result<std::vector<Record>> load_records(const base::Paths& paths) {
  std::vector<Record> records;
  ASSIGN_OR_RETURN(const auto names, sys::entries(paths.sandboxes));
  for (const std::string& name : names) {
    if (!name.ends_with(kSuffix)) continue;
    ASSIGN_OR_RETURN(const auto text, sys::read_file(paths.sandboxes + "/" + name, 8192));
    auto record = parse_record(text);
    if (!record) return std::unexpected(base::with_context(name, std::move(record).error()));
    records.push_back(*std::move(record));
  }
  return records;
}

std::string socket_path(const base::Paths& paths, const base::SandboxId& id) {
  return paths.sandboxes + "/" + id.text() + ".sock";
}

std::string ahead_path(const base::Paths& paths, const base::SandboxId& id) {
  return paths.sandboxes + "/" + id.text() + ".ahead";
}

}  // namespace spawner
