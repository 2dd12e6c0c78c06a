#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/records.h"

struct sqlite3;
struct sqlite3_stmt;

namespace store {

// Bytes that are no text.
struct Blob {
  std::string_view bytes;
};

// What a statement's ? stands for. Text is not copied: it has to live as long as the call.
using Value = std::variant<std::monostate, std::int64_t, std::string_view, Blob>;

inline Value value(std::string_view text) { return text; }
inline Value value(Blob blob) { return blob; }
inline Value value(std::int64_t number) { return number; }
inline Value value(std::uint64_t number) { return static_cast<std::int64_t>(number); }
inline Value value(std::uint32_t number) { return std::int64_t{number}; }
inline Value value(int number) { return std::int64_t{number}; }
inline Value value(std::chrono::milliseconds time) { return std::int64_t{time.count()}; }
inline Value value(Time time) { return value(time.time_since_epoch()); }
template <class Kind>
Value value(const base::RandomId<Kind>& id) {
  return std::string_view(id.text());
}
template <class T>
Value value(const std::optional<T>& maybe) {
  return maybe ? value(*maybe) : Value();
}

// The present row of a query; valid until the function that got it returns.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  std::string text(int column) const;  // or bytes
  Time time(int column) const { return Time(std::chrono::milliseconds(integer(column))); }
  std::optional<Time> maybe_time(int column) const {
    return is_null(column) ? std::nullopt : std::optional(time(column));
  }
  // An id that is none means that somebody else wrote the file.
  template <class Id>
  Result<Id> id(int column) const {
    return Id::parse(text(column));
  }
  template <class Id>
  Result<std::optional<Id>> maybe_id(int column) const {
    if (is_null(column)) return std::optional<Id>();
    ASSIGN_OR_RETURN(auto id, Id::parse(text(column)));
    return std::optional<Id>(std::move(id));
  }

 private:
  sqlite3_stmt* statement_;
};

// One connection to the file. Statements are compiled once. Calls take a lock, which is recursive so that a
// transaction can hold it around the calls that belong to it.
class Database {
 public:
  enum class Access { kWrite, kRead };

  static Result<std::unique_ptr<Database>> open(const std::string& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The number of rows that changed.
  template <class... Values>
  Result<std::int64_t> run(std::string_view sql, const Values&... values) {
    return run_bound(sql, {value(values)...});
  }

  // All rows, each through `read`, which gives a Result.
  template <class Read, class... Values>
  auto all(std::string_view sql, Read read, const Values&... values)
      -> Result<std::vector<typename std::invoke_result_t<Read, Row>::value_type>> {
    return all_bound(sql, read, {value(values)...});
  }
  template <class Read>
  auto all_bound(std::string_view sql, Read read, const std::vector<Value>& values)
      -> Result<std::vector<typename std::invoke_result_t<Read, Row>::value_type>> {
    std::vector<typename std::invoke_result_t<Read, Row>::value_type> out;
    RETURN_IF_ERROR(each(sql, values, [&](Row row) -> Result<> {
      ASSIGN_OR_RETURN(auto item, read(row));
      out.push_back(std::move(item));
      return {};
    }));
    return out;
  }

  // The first row, or nothing.
  template <class Read, class... Values>
  auto first(std::string_view sql, Read read, const Values&... values)
      -> Result<std::optional<typename std::invoke_result_t<Read, Row>::value_type>> {
    ASSIGN_OR_RETURN(auto rows, all(sql, read, values...));
    if (rows.empty()) return std::optional<typename std::invoke_result_t<Read, Row>::value_type>();
    return std::optional(std::move(rows.front()));
  }

  Result<std::int64_t> integer(std::string_view sql);
  // Several statements without values.
  Result<> script(const char* sql);
  // See Store::atomically.
  Result<> atomically(const std::function<Result<>()>& work);

 private:
  explicit Database(sqlite3* handle) : handle_(handle) {}
  Result<> prepare_connection(Access access);
  Result<std::int64_t> run_bound(std::string_view sql, const std::vector<Value>& values);
  Result<> each(std::string_view sql, const std::vector<Value>& values,
                const std::function<Result<>(Row)>& read);
  Result<sqlite3_stmt*> statement(std::string_view sql, const std::vector<Value>& values);
  std::unexpected<base::Error> failed(std::string_view what) const;

  sqlite3* handle_;
  std::recursive_mutex mutex_;
  int depth_ = 0;  // of transactions
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

}  // namespace store
