#include "base/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <iterator>

#include "base/config_keys.h"
#include "base/utf8.h"

namespace base {

namespace {

constexpr std::uint32_t kBeyondBmp = 0x10000;
constexpr std::size_t kMostEvents = 1024;
constexpr std::string_view kCut = "…";

void append_escape(std::string& out, std::uint32_t unit) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit);
}

void append_character(std::string& out, const Utf8& character) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  const std::uint32_t value = character.kind == Utf8::Kind::kWhole ? character.value : kReplacement;
  if (value == '"' || value == '\\') {
    out += '\\';
    out += static_cast<char>(value);
  } else if (value == '\n') {
    out += "\\n";
  } else if (value >= 0x20 && value < 0x7f) {
    out += static_cast<char>(value);
  } else if (value < kBeyondBmp) {
    append_escape(out, value);
  } else {
    append_escape(out, 0xD800 + ((value - kBeyondBmp) >> 10U));
    append_escape(out, 0xDC00 + ((value - kBeyondBmp) & 0x3FFU));
  }
}

struct ValueWriter {
  std::string& out;
  void operator()(std::string_view text) const {
    if (text.size() <= Log::kMostText) return append_json_string(out, text);
    append_json_string(out, std::string(text.substr(0, Log::kMostText)) + std::string(kCut));
  }
  void operator()(std::int64_t number) const { out += std::to_string(number); }
  void operator()(double number) const { out += std::isfinite(number) ? fmt::format("{}", number) : "null"; }
  void operator()(bool truth) const { out += truth ? "true" : "false"; }
};

void append_time(std::string& out, std::chrono::system_clock::time_point now) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now - whole).count();
  const auto parts = fmt::gmtime(std::chrono::system_clock::to_time_t(whole));
  out += fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", parts, milliseconds);
}

// A line that cannot be written has nobody to be told of it.
void write_line(int fd, std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(fd, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const Utf8 character = first_character(text);
    append_character(out, character);
    text.remove_prefix(character.size);
  }
  out += '"';
}

Log::Log(int fd, LogLevel least)
    : Log([fd](std::string_view line) { write_line(fd, line); }, least, std::chrono::system_clock::now) {}

Log::Log(Sink sink, LogLevel least, Clock clock)
    : sink_(std::move(sink)), least_(least), clock_(std::move(clock)) {}

void Log::debug(std::string_view event, std::initializer_list<LogField> fields) {
  write(LogLevel::kDebug, event, fields);
}
void Log::info(std::string_view event, std::initializer_list<LogField> fields) {
  write(LogLevel::kInfo, event, fields);
}
void Log::warning(std::string_view event, std::initializer_list<LogField> fields) {
  write(LogLevel::kWarning, event, fields);
}
void Log::error(std::string_view event, std::initializer_list<LogField> fields) {
  write(LogLevel::kError, event, fields);
}

std::optional<std::uint64_t> Log::admit(std::string_view event, std::chrono::system_clock::time_point now) {
  auto found = rates_.find(event);
  if (found == rates_.end()) {
    // Events are literals of ours; should somebody make them up from input, memory stays bounded.
    if (rates_.size() >= kMostEvents) rates_.clear();
    found = rates_.emplace(event, Rate{}).first;
  }
  Rate& rate = found->second;
  // Also when the clock was set back.
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  if (rate.second != second) {
    rate.second = second;
    rate.lines = 0;
  }
  if (++rate.lines <= kPerSecond) return std::exchange(rate.suppressed, 0);
  ++rate.suppressed;
  return std::nullopt;
}

void Log::write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (level < least_) return;
  const std::lock_guard guard(mutex_);
  const auto now = clock_();
  const auto suppressed = admit(event, now);
  if (!suppressed) return;
  std::string line = R"({"time":")";
  append_time(line, now);
  line += fmt::format(R"(","level":"{}","event":)", name_of(level));
  append_json_string(line, event);
  for (const LogField& field : fields) {
    line += ',';
    append_json_string(line, field.name);
    line += ':';
    std::visit(ValueWriter{line}, field.value);
  }
  if (*suppressed != 0) line += fmt::format(R"(,"suppressed":{})", *suppressed);
  line += "}\n";
  sink_(line);
}

}  // namespace base
