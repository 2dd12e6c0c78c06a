#pragma once

#include "store/records.h"

namespace store {

class Database;

// Brings the tables to the newest form, each step with its number in one transaction. A file of a newer Cove,
// or of another program, is refused.
Result<> migrate(Database& database, Time now);

}  // namespace store
