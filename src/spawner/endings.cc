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

Result<bool> has_nobody(int news) {
  if (news < 0) return true;  // removed before it could be opened
  const auto text = sys::pread_text(news);
  if (!text && text.error().sys_errno == ENODEV) return true;  // removed by an earlier try
  if (!text) return std::unexpected(text.error());
  return sys::gauge_value(*text, "populated") == 0;
}
}  // namespace

void Endings::begin(Ending ending) {
  const base::SandboxId id = ending.id;
  UnderWay fresh{.ending = std::move(ending), .killed = false, .news = {}, .retry_at = Clock::now()};
  UnderWay& one = under_way_.insert_or_assign(id, std::move(fresh)).first->second;
  if (!kill(one)) one.retry_at = Clock::now() + kRetry;
}

Result<> Endings::kill(UnderWay& one) {
  const std::string& name = one.ending.id.text();
  RETURN_IF_ERROR(unless_absent(cgroups_.kill_all(name)));
  auto news = cgroups_.open_events(name);
  if (!news && news.error().code != Code::kNotFound) return std::unexpected(std::move(news).error());
  if (news) one.news = *std::move(news);
  one.killed = true;
  return {};
}

void Endings::add_polls(std::vector<pollfd>& polls) const {
  const auto now = Clock::now();
  for (const auto& [id, one] : under_way_) {
    // poll skips -1: one that has to wait for its next try has no news until then.
    const bool rests = one.retry_at > now;
    polls.push_back({rests ? -1 : one.news.get(), POLLPRI, 0});
    polls.push_back({rests ? -1 : one.ending.pidfd.get(), POLLIN, 0});
  }
}

std::vector<Ending> Endings::collect_gone() {
  std::vector<Ending> gone;
  const auto now = Clock::now();
  for (auto at = under_way_.begin(); at != under_way_.end();) {
    UnderWay& one = at->second;
    if (one.retry_at > now) {
      ++at;
      continue;
    }
    // A process may have been born while the group was being killed: what is tried again is killed again.
    const auto dead = one.killed ? Result<>() : kill(one);
    const auto over = dead ? is_over(one) : Result<bool>(false);
    const auto erased = dead && over && *over ? erase_traces(at->first) : Result<>();
    if (!dead || !over || !erased) {
      one.killed = false;
      one.retry_at = now + kRetry;
    }
    if (!dead || !over || !erased || !*over) {
      ++at;
      continue;
    }
    gone.push_back(std::move(one.ending));
    at = under_way_.erase(at);
  }
  return gone;
}

// The kernel calls a group empty while its processes are still dissolving. Pid 1 is the last of them.
Result<bool> Endings::is_over(const UnderWay& one) {
  // Read in any case: until then the kernel goes on calling it news.
  ASSIGN_OR_RETURN(const bool is_empty, has_nobody(one.news.get()));
  const int pidfd = one.ending.pidfd.get();
  pollfd end{.fd = pidfd, .events = POLLIN, .revents = 0};
  if (pidfd >= 0 && ::poll(&end, 1, 0) == 0) return false;
  // Somebody else's child after a restart, or reaped with all others: then there is nothing to reap.
  if (pidfd >= 0) (void)sys::wait_pidfd(pidfd);
  return is_empty;
}

Result<> Endings::erase_traces(const base::SandboxId& id) {
  RETURN_IF_ERROR(cgroups_.remove(id.text()));
  for (const std::string& socket : {socket_path(paths_, id), ahead_path(paths_, id)}) {
    RETURN_IF_ERROR(unless_absent(sys::unlinkat(AT_FDCWD, socket)));
  }
  return remove_record(paths_, id);
}

}  // namespace spawner
