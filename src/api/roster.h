#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/log.h"
#include "fleet/sandbox.h"
#include "io/bell.h"
#include "io/pool.h"
#include "io/task_group.h"
#include "store/store.h"

namespace api {

// A sandbox that lives, as callers know it.
struct Live {
  store::SandboxRow row;
  std::vector<std::string> environment_names;
  fleet::SandboxPtr sandbox;
};

// Who has which sandbox. Those that live are in memory; the store is written behind the answers, in order and
// many rows at a time, because it waits for the disk. Whoever reads the store calls flush() first.
class Roster {
 public:
  Roster(io::Loop& loop, io::Pool& pool, store::Store& store, base::Log& log);

  // Begins the task that writes.
  void launch(io::TaskGroup& tasks);

  void add(Live live);
  // None: no such one lives.
  Live* find(const std::string& id);
  std::size_t size() const { return live_.size(); }
  // Of one that lives: its row was changed by the caller.
  void changed(const Live& live);
  // It lives no longer. Rows of others than the living are left alone.
  void end(const std::string& id, std::string_view cause, store::Time now);
  // Everything that was said before is in the store.
  io::Task<> flush();

 private:
  using Write = std::function<base::Result<>(store::Store&)>;
  void write_behind(Write write);
  base::Result<> write_together(const std::deque<Write>& writes);
  io::Task<> write_all();

  io::Pool& pool_;
  store::Store& store_;
  base::Log& log_;
  std::map<std::string, Live, std::less<>> live_;
  std::deque<Write> waiting_;
  std::uint64_t asked_ = 0;
  std::uint64_t written_ = 0;
  io::Bell bell_;
};

}  // namespace api
