// A database of a test's own, and times to say.
#pragma once

#include "store/store.h"
#include "sys/temp_dir.h"
#include "tests/support/result.h"

namespace support {

// So many seconds after a beginning that means nothing.
inline store::Time at(int seconds) { return store::Time(std::chrono::seconds(1'700'000'000 + seconds)); }

class FreshStore {
 public:
  FreshStore() { reopen(); }

  store::Store* operator->() { return store_.get(); }
  store::Store& operator*() { return *store_; }
  std::string path() const { return *dir_ / "cove.db"; }
  void close() { store_.reset(); }
  void reopen() {
    store_.reset();
    auto opened = store::Store::open(path(), at(0));
    EXPECT_OK(opened);
    store_ = *std::move(opened);
  }

  store::TeamId default_team() { return store_->teams().find(store::kDefaultTeam)->id; }
  store::TeamId team(const std::string& name) { return store_->teams().create(name, at(0))->id; }
  // A record with some value in each part.
  store::SandboxRow sandbox(const store::TeamId& team, int created = 0) {
    return {.id = store::SandboxId::random(),
            .team = team,
            .owner_key = store::KeyId::random(),
            .name = "a name",
            .labels = R"({"a":"1"})",
            .template_name = "python",
            .template_digest = std::string(64, 'd'),
            .tier = "restricted",
            .network = "none",
            .limits = {.cpu_millis = 1500,
                       .memory_bytes = std::uint64_t{1} << 33,
                       .disk_bytes = std::uint64_t{1} << 34,
                       .max_processes = 256,
                       .timeout = std::chrono::seconds(60)},
            .created = at(created),
            .expires = at(created + 3600),
            .idle_timeout = std::chrono::minutes(15)};
  }

 private:
  base::Result<sys::TempDir> dir_ = sys::TempDir::make();
  std::unique_ptr<store::Store> store_;
};

}  // namespace support
