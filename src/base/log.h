#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/log_level.h"

namespace base {

// One value of a line. Text may hold any bytes: what is not printable text is escaped.
struct LogField {
  using Value = std::variant<std::string_view, std::int64_t, double, bool>;

  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, const char* text) : name(field), value(std::string_view(text)) {}
  LogField(std::string_view field, const std::string& text) : name(field), value(std::string_view(text)) {}
  LogField(std::string_view field, bool truth) : name(field), value(truth) {}
  LogField(std::string_view field, double number) : name(field), value(number) {}
  template <std::integral Number>
  LogField(std::string_view field, Number number) : name(field), value(static_cast<std::int64_t>(number)) {}

  std::string_view name;
  Value value;
};

// Writes lines of JSON: {"time":…,"level":…,"event":…, fields}. One line is one write, so lines of several
// threads and processes do not mix. Each event may come so many times a second; the next line of an event
// that was held back says how many were ("suppressed"). Long texts are cut. Any thread may use it.
// Known field names: request, sandbox, team, error, pid.
class Log {
 public:
  static constexpr std::uint32_t kPerSecond = 50;
  static constexpr std::size_t kMostText = 4096;  // bytes of one text that are shown

  using Sink = std::function<void(std::string_view line)>;  // with its newline
  using Clock = std::function<std::chrono::system_clock::time_point()>;

  // To a descriptor, which stays the caller's.
  Log(int fd, LogLevel least);
  Log(Sink sink, LogLevel least, Clock clock);

  // `event` is a literal of ours: snake_case, one per kind of thing that happens.
  void debug(std::string_view event, std::initializer_list<LogField> fields = {});
  void info(std::string_view event, std::initializer_list<LogField> fields = {});
  void warning(std::string_view event, std::initializer_list<LogField> fields = {});
  void error(std::string_view event, std::initializer_list<LogField> fields = {});

 private:
  struct Rate {
    std::chrono::system_clock::time_point second;
    std::uint32_t lines = 0;
    std::uint64_t suppressed = 0;
  };

  // How many lines of the event were held back since its last; none: so is this one.
  std::optional<std::uint64_t> admit(std::string_view event, std::chrono::system_clock::time_point now);
  void write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields);

  const Sink sink_;
  const LogLevel least_;
  const Clock clock_;
  std::mutex mutex_;
  std::map<std::string, Rate, std::less<>> rates_;  // by event
};

// The text as a JSON string with its quotes, ASCII only: bytes that are no UTF-8 become \ufffd.
void append_json_string(std::string& out, std::string_view text);

}  // namespace base
