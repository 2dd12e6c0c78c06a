#include "api/roster.h"

namespace api {

using base::Result;

Roster::Roster(io::Loop& loop, io::Pool& pool, store::Store& store, base::Log& log)
    : pool_(pool), store_(store), log_(log), bell_(loop) {}

void Roster::launch(io::TaskGroup& tasks) { tasks.spawn("roster", write_all()); }

void Roster::write_behind(Write write) {
  waiting_.push_back(std::move(write));
  ++asked_;
  bell_.ring();
}

void Roster::add(Live live) {
  write_behind([row = live.row](store::Store& store) { return store.sandboxes().insert(row); });
  std::string id = live.row.id.text();
  live_.insert_or_assign(std::move(id), std::move(live));
}

Live* Roster::find(const std::string& id) {
  const auto found = live_.find(id);
  return found == live_.end() ? nullptr : &found->second;
}

void Roster::changed(const Live& live) {
  write_behind([row = live.row](store::Store& store) -> Result<> {
    const store::SandboxChange change{
        .expires = row.expires, .idle_timeout = row.idle_timeout, .labels = row.labels};
    RETURN_IF_ERROR(store.sandboxes().change(row.team, row.id, change));
    return {};
  });
}

void Roster::end(const std::string& id, std::string_view cause, store::Time now) {
  const auto found = live_.find(id);
  if (found == live_.end()) return;
  write_behind([row = found->second.row.id, why = std::string(cause), now](store::Store& store) {
    return store.sandboxes().set_ended(row, why, now);
  });
  live_.erase(found);
}

io::Task<> Roster::flush() {
  const std::uint64_t wanted = asked_;
  while (written_ < wanted) CO_RETURN_IF_ERROR(co_await bell_.wait());
  co_return Result<>();
}

// One that fails undoes itself alone, and is told.
Result<> Roster::write_together(const std::deque<Write>& writes) {
  Result<> failed;
  RETURN_IF_ERROR(store_.atomically([&]() -> Result<> {
    for (const Write& write : writes) {
      if (auto done = store_.atomically([&] { return write(store_); }); !done) failed = std::move(done);
    }
    return {};
  }));
  return failed;
}

io::Task<> Roster::write_all() {
  while (true) {
    while (waiting_.empty()) CO_RETURN_IF_ERROR(co_await bell_.wait());
    const std::size_t count = waiting_.size();
    auto work = [this, writes = std::exchange(waiting_, {})] { return write_together(writes); };
    // A sandbox without a row lives all the same, and ends like others; the operator has to know.
    if (const auto done = co_await pool_.run(std::move(work)); !done) {
      log_.error("records_not_written", {{"error", done.error().message}, {"count", count}});
    }
    written_ += count;
    bell_.ring();
  }
}

}  // namespace api
