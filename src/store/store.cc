#include "store/store.h"

#include "store/database.h"
#include "store/migrations.h"

namespace store {

Result<std::unique_ptr<Store>> Store::open(const std::string& path, Time now) {
  ASSIGN_OR_RETURN(auto database, Database::open(path, Database::Access::kWrite));
  auto migrated = migrate(*database, now);
  if (!migrated) {
    return std::unexpected(base::with_context("database " + path, std::move(migrated).error()));
  }
  return std::unique_ptr<Store>(new Store(std::move(database)));
}

Store::Store(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      teams_(*database_),
      users_(*database_),
      projects_(*database_),
      keys_(*database_),
      sandboxes_(*database_),
      idempotency_(*database_) {}

Store::~Store() = default;

Result<> Store::atomically(const std::function<Result<>()>& work) { return database_->atomically(work); }

}  // namespace store
