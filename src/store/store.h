// store: metadata that lasts, in one SQLite file. Teams, users, projects, keys, records of sandboxes, answers
// to retried requests. Nothing of SQLite is in these headers, so that another database can come behind them.
//
// The file is in WAL mode with synchronous=FULL: what a call has answered survives a power cut, readers never
// wait, and other processes (`cove key create`) may use the file while a server has it open. Its tables are
// STRICT, foreign keys are on; numbered migrations (migrations.cc) bring an older file up to date when it is
// opened, and a newer one is refused. The file has mode 0600 and belongs to the user that the server runs as.
//
// Calls block: a write waits for the disk, and up to five seconds for another process's write. Every call
// takes the connection's lock, so a Store may be used from any thread, one call at a time. The event loop
// calls it through its pool; only auth::Keyring, which has a connection of its own and reads, is called on
// the loop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "store/idempotency.h"
#include "store/keys.h"
#include "store/records.h"
#include "store/sandboxes.h"
#include "store/teams.h"

namespace store {

class Store {
 public:
  // Makes the file, and the team `default`, when there is none; the directory has to be there
  // (store/directory.h). `now` is the time of what is made.
  static Result<std::unique_ptr<Store>> open(const std::string& path, Time now);
  ~Store();

  // All calls that `work` makes on this store are one transaction: they happen together, or not at all when
  // it fails. May be nested: what fails inside undoes only itself. Many in one cost one wait for the disk.
  Result<> atomically(const std::function<Result<>()>& work);

  Teams& teams() { return teams_; }
  Users& users() { return users_; }
  Projects& projects() { return projects_; }
  Keys& keys() { return keys_; }
  Sandboxes& sandboxes() { return sandboxes_; }
  Idempotency& idempotency() { return idempotency_; }

 private:
  explicit Store(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
  Teams teams_;
  Users users_;
  Projects projects_;
  Keys keys_;
  Sandboxes sandboxes_;
  Idempotency idempotency_;
};

}  // namespace store
