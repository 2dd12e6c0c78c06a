#include "spawner/endings.h"

#include "spawner/records.h"
#include "sys/process.h"

namespace spawner {

namespace {
using base::Code;

constexpr std::chrono::seconds kRetry{1};

Result<> unless_absent(Result<> done) {
  if (!done && done.error().code == Code::kNotFound) return {};
  return done;
}
}  // namespace

Result<> Endings::begin(Ending ending) {
  RETURN_IF_ERROR(unless_absent(cgroups_.kill_all(ending.id.text())));
  auto news = cgroups_.open_events(ending.id.text());
  if (!news && news.error().code != Code::kNotFound) return std::unexpected(std::move(news).error());
  const base::SandboxId id = ending.id;
  under_way_.insert_or_assign(id, UnderWay{.ending = std::move(ending),
                                           .news = news ? *std::move(news) : sys::UniqueFd(),
                                           .retry_at = Clock::now()});
  return {};
}

void Endings::add_polls(std::vector<pollfd>& polls) const {
  const auto now = Clock::now();
  for (const auto& [id, one] : under_way_) {
    // poll skips -1: one that has to wait for its next try has no news until then.
    polls.push_back({one.retry_at > now ? -1 : one.news.get(), POLLPRI, 0});
  }
}

std::vector<Ending> Endings::collect_gone() {
  std::vector<Ending> gone;
  const auto now = Clock::now();
  for (auto at = under_way_.begin(); at != under_way_.end();) {
    UnderWay& one = at->second;
    const auto empty = one.retry_at <= now ? is_empty(one) : false;
    if (empty && !*empty) {
      ++at;
      continue;
    }
    if (!empty || !erase_traces(at->first)) {
      // A process may have been born while the group was being killed.
      (void)cgroups_.kill_all(at->first.text());
      one.retry_at = now + kRetry;
      ++at;
      continue;
    }
    // Reap it if it is our child; one that an earlier spawner made belongs to the machine's init.
    if (one.ending.pidfd) (void)sys::wait_pidfd(one.ending.pidfd.get());
    gone.push_back(std::move(one.ending));
    at = under_way_.erase(at);
  }
  return gone;
}

Result<bool> Endings::is_empty(const UnderWay& one) const {
  if (!one.news) return true;
  const auto text = sys::pread_text(one.news.get());
  if (!text && text.error().sys_errno == ENODEV) return true;  // removed by an earlier try
  if (!text) return std::unexpected(text.error());
  return sys::gauge_value(*text, "populated") == 0;
}

Result<> Endings::erase_traces(const base::SandboxId& id) {
  RETURN_IF_ERROR(cgroups_.remove(id.text()));
  for (const std::string& socket : {socket_path(paths_, id), ahead_path(paths_, id)}) {
    RETURN_IF_ERROR(unless_absent(sys::unlinkat(AT_FDCWD, socket)));
  }
  return remove_record(paths_, id);
}

}  // namespace spawner
