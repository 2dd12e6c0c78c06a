#include "store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <array>

#include "base/check.h"
#include "sys/file.h"

namespace store {

namespace {

using base::Code;

// Longer than any write of ours takes, so that only a stuck process makes a call fail.
constexpr int kBusyMilliseconds = 5000;

Code code_of(int result) {
  switch (result & 0xff) {
    case SQLITE_CONSTRAINT:
      return Code::kConflict;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Code::kUnavailable;
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return Code::kExhausted;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return Code::kDenied;
    default:
      return Code::kInternal;
  }
}

// A file of the mode that it is to have: SQLite gives its companions (-wal, -shm) the mode and owner of the
// main file.
Result<> make_private_file(const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, sys::open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600));
  ASSIGN_OR_RETURN(const auto stat, sys::fstat(file.get()));
  if (!S_ISREG(stat.st_mode)) return base::fail(Code::kInvalid, path + " is not a regular file");
  if ((stat.st_mode & 0077) != 0) RETURN_IF_ERROR(sys::fchmod(file.get(), 0600));
  return {};
}

int bind(sqlite3_stmt* statement, int at, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return sqlite3_bind_int64(statement, at, *number);
  }
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    // Never a null pointer: that would bind NULL instead of an empty text.
    return sqlite3_bind_text64(statement, at, text->empty() ? "" : text->data(), text->size(), SQLITE_STATIC,
                               SQLITE_UTF8);
  }
  if (const auto* blob = std::get_if<Blob>(&value)) {
    return sqlite3_bind_blob64(statement, at, blob->bytes.empty() ? "" : blob->bytes.data(),
                               blob->bytes.size(), SQLITE_STATIC);
  }
  return sqlite3_bind_null(statement, at);
}

// A statement that is not reset keeps its snapshot, and with it the log from being folded into the file.
struct Reset {
  explicit Reset(sqlite3_stmt* used) : statement(used) {}
  Reset(const Reset&) = delete;
  Reset& operator=(const Reset&) = delete;
  ~Reset() {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }
  sqlite3_stmt* statement;
};

}  // namespace

bool Row::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Row::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Row::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Access access) {
  if (access == Access::kWrite) RETURN_IF_ERROR(make_private_file(path));
  sqlite3* handle = nullptr;
  // Links are refused in the whole path. The lock is ours, so SQLite needs none; reading needs the shared
  // memory file, which even a reader writes to, so the promise of a reader is a setting (query_only).
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE;
  const int result = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  if (handle == nullptr) return base::fail(Code::kExhausted, "open database: out of memory");
  std::unique_ptr<Database> database(new Database(handle));
  auto ready =
      result == SQLITE_OK ? database->prepare_connection(access) : Result<>(database->failed("open"));
  if (!ready) return std::unexpected(base::with_context("database " + path, std::move(ready).error()));
  return database;
}

Result<> Database::prepare_connection(Access access) {
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
  for (const auto& [option, on] : {std::pair{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                   {SQLITE_DBCONFIG_ENABLE_FKEY, 1},
                                   {SQLITE_DBCONFIG_DQS_DML, 0},
                                   {SQLITE_DBCONFIG_DQS_DDL, 0}}) {
    if (sqlite3_db_config(handle_, option, on, nullptr) != SQLITE_OK) return failed("configure");
  }
  RETURN_IF_ERROR(script("PRAGMA synchronous=FULL"));
  if (access == Access::kRead) return script("PRAGMA query_only=ON");
  return script("PRAGMA journal_mode=WAL");
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  BASE_CHECK(sqlite3_close(handle_) == SQLITE_OK);
}

std::unexpected<base::Error> Database::failed(std::string_view what) const {
  const int result = sqlite3_extended_errcode(handle_);
  return base::fail(code_of(result), fmt::format("{}: {}", what, sqlite3_errmsg(handle_)));
}

Result<sqlite3_stmt*> Database::statement(std::string_view sql, const std::vector<Value>& values) {
  auto known = statements_.find(sql);
  if (known == statements_.end()) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                           &made, nullptr) != SQLITE_OK) {
      return failed("prepare");
    }
    known = statements_.emplace(sql, made).first;
  }
  sqlite3_stmt* statement = known->second;
  BASE_CHECK(sqlite3_bind_parameter_count(statement) == static_cast<int>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (bind(statement, static_cast<int>(i) + 1, values[i]) != SQLITE_OK) return failed("bind");
  }
  return statement;
}

Result<> Database::each(std::string_view sql, const std::vector<Value>& values,
                        const std::function<Result<>(Row)>& read) {
  const std::lock_guard lock(mutex_);
  // After some failures (a full disk) SQLite undoes a whole transaction: what comes then would stand alone.
  if (depth_ > 0 && sqlite3_get_autocommit(handle_) != 0) {
    return base::fail(Code::kUnavailable, "database: the transaction was undone by an earlier failure");
  }
  ASSIGN_OR_RETURN(sqlite3_stmt* const used, statement(sql, values));
  const Reset reset(used);
  for (;;) {
    const int result = sqlite3_step(used);
    if (result == SQLITE_DONE) return {};
    if (result != SQLITE_ROW) return failed("database");
    RETURN_IF_ERROR(read(Row(used)));
  }
}

Result<std::int64_t> Database::run_bound(std::string_view sql, const std::vector<Value>& values) {
  const std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(each(sql, values, [](Row) -> Result<> { return {}; }));
  return std::int64_t{sqlite3_changes64(handle_)};
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  ASSIGN_OR_RETURN(const auto found,
                   first(sql, [](Row row) { return Result<std::int64_t>(row.integer(0)); }));
  return found.value_or(0);
}

Result<> Database::script(const char* sql) {
  const std::lock_guard lock(mutex_);
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failed("database");
  return {};
}

Result<> Database::atomically(const std::function<Result<>()>& work) {
  const std::lock_guard lock(mutex_);
  // IMMEDIATE: a transaction that begins by reading could not wait for the lock when it comes to write.
  const bool outermost = depth_ == 0;
  RETURN_IF_ERROR(script(outermost ? "BEGIN IMMEDIATE" : "SAVEPOINT nested"));
  ++depth_;
  auto done = work();
  --depth_;
  if (done) done = script(outermost ? "COMMIT" : "RELEASE nested");
  // What SQLite has undone by itself needs no undoing.
  if (!done && sqlite3_get_autocommit(handle_) == 0) {
    RETURN_IF_ERROR(script(outermost ? "ROLLBACK" : "ROLLBACK TO nested; RELEASE nested"));
  }
  return done;
}

}  // namespace store
