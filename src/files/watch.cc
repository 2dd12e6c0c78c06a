#include "files/watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>

#include "files/place.h"
#include "files/tree_walk.h"
#include "sys/retry.h"

namespace files {

namespace {

using base::Code;
using wire::file::Change;
using wire::file::Changed;
using wire::file::Done;

constexpr std::size_t kMostDirectories = 16'384;
constexpr std::uint32_t kNews = IN_CREATE | IN_DELETE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO |
                                IN_DELETE_SELF | IN_MOVE_SELF | IN_EXCL_UNLINK | IN_ONLYDIR;

struct News {
  std::uint32_t mask = 0;
  int directory = -1;  // as inotify numbers it
  std::string name;
};

class Watcher {
 public:
  Watcher(Call& call, const wire::file::Watch& request) : call_(call), request_(request) {}

  Result<Done> run() {
    queue_ = sys::UniqueFd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!queue_) return base::failed_call("inotify_init");
    RETURN_IF_ERROR(look_again());
    RETURN_IF_ERROR(tell(Change::kWatching, "", 1));
    while (!ended_) {
      std::array<pollfd, 2> polls{pollfd{queue_.get(), POLLIN, 0}, pollfd{call_.socket(), POLLIN, 0}};
      if (sys::retry([&] { return ::poll(polls.data(), polls.size(), -1); }) < 0)
        return base::failed_call("poll");
      RETURN_IF_ERROR(call_.check());
      if (polls[0].revents != 0) RETURN_IF_ERROR(read_news());
    }
    return Done{.entries = told_};
  }

 private:
  // Everything from here down; what is found is told when it is news.
  class Finder : public Visitor {
   public:
    Finder(Watcher& watcher, std::string above, Change change)
        : watcher_(watcher), above_(std::move(above)), change_(change) {}

    Result<Next> enter(const Met& met) override {
      const std::string path = above_.empty() ? met.path : above_ + "/" + met.path;
      if (path.size() > wire::file::kMaxPath) return Next::kGoOn;
      const bool is_directory = S_ISDIR(met.status.st_mode);
      if (change_ == Change::kCreated) RETURN_IF_ERROR(watcher_.tell(change_, path, is_directory ? 1 : 0));
      if (!is_directory) return Next::kGoOn;
      const auto directory = sys::openat(met.parent, met.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (!directory) return Next::kGoOn;
      RETURN_IF_ERROR(watcher_.add(directory->get(), path));
      return Next::kGoIn;
    }
    Result<> closed(const std::string&, base::Error) override { return {}; }

   private:
    Watcher& watcher_;
    const std::string above_;
    const Change change_;
  };
  friend class Finder;

  Result<> look_again() {
    ASSIGN_OR_RETURN(const auto top, open_top());
    RETURN_IF_ERROR(add(top.get(), ""));
    Finder finder(*this, "", Change::kWatching);
    return request_.tree != 0 ? walk_tree(top.get(), finder) : Result<>();
  }

  // Opened anew each time: one that is held open does not tell of its own end. Another in its place is not
  // it.
  Result<sys::UniqueFd> open_top() {
    ASSIGN_OR_RETURN(const auto place, resolve_existing(request_.path, Links::kFollow));
    auto top = sys::openat(place.parent.get(), place.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!top) return base::failed_call("open(" + request_.path + ")", top.error().sys_errno);
    ASSIGN_OR_RETURN(const auto status, sys::fstat(top->get()));
    if (!identity_) identity_ = {status.st_dev, status.st_ino};
    if (*identity_ != std::pair(status.st_dev, status.st_ino)) {
      return base::fail(Code::kConflict, request_.path + " is another directory now; watch it anew");
    }
    return top;
  }

  Result<> add(int directory, const std::string& path) {
    if (paths_.size() >= kMostDirectories) {
      return base::fail(Code::kExhausted,
                        "there are more than 16384 directories to watch; watch a part of them");
    }
    // The directory itself, whatever its name leads to by now.
    const std::string self = "/proc/self/fd/" + std::to_string(directory);
    const int number = ::inotify_add_watch(queue_.get(), self.c_str(), kNews);
    if (number < 0) return base::failed_call("watch(" + request_.path + "/" + path + ")");
    paths_[number] = path;
    return {};
  }

  Result<> tell(Change change, const std::string& path, std::uint8_t is_directory) {
    Changed changed{.change = change, .path = path, .is_directory = is_directory};
    // A file that is written piece by piece is told once as long as nothing else happens.
    const bool again = change == Change::kModified && last_.change == change && last_.path == path;
    if (again || path.size() > wire::file::kMaxPath) return {};
    last_ = changed;
    ++told_;
    return call_.send(std::move(changed));
  }

  Result<> read_news() {
    alignas(inotify_event) std::array<char, 32768> buffer;
    last_ = {};
    const ssize_t n = sys::retry([&] { return ::read(queue_.get(), buffer.data(), buffer.size()); });
    if (n < 0 && errno == EAGAIN) return {};
    if (n < 0) return base::failed_call("read(inotify)");
    for (std::size_t at = 0; at < static_cast<std::size_t>(n) && !ended_;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      RETURN_IF_ERROR(hear({.mask = event.mask, .directory = event.wd, .name = event.len != 0 ? name : ""}));
      at += sizeof event + event.len;
    }
    return {};
  }

  Result<> hear(const News& news) {
    if ((news.mask & IN_Q_OVERFLOW) != 0) {
      // Directories may have come that nobody watches.
      RETURN_IF_ERROR(look_again());
      return tell(Change::kOverflow, "", 1);
    }
    const auto known = paths_.find(news.directory);
    if (known == paths_.end()) return {};
    const std::string above = known->second;
    if ((news.mask & IN_IGNORED) != 0) paths_.erase(known);
    if (news.name.empty()) return hear_of_itself(news, above);
    return hear_of_member(news, above.empty() ? news.name : above + "/" + news.name);
  }

  Result<> hear_of_itself(const News& news, const std::string& path) {
    const bool is_top = path.empty();
    if (!is_top || (news.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) == 0) return {};
    ended_ = true;
    return tell(Change::kRemoved, "", 1);
  }

  Result<> hear_of_member(const News& news, const std::string& path) {
    const bool is_directory = (news.mask & IN_ISDIR) != 0;
    const std::uint8_t flag = is_directory ? 1 : 0;
    if ((news.mask & (IN_DELETE | IN_MOVED_FROM)) != 0) {
      if (is_directory) forget(path);
      return tell(Change::kRemoved, path, flag);
    }
    if ((news.mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
      RETURN_IF_ERROR(tell(Change::kCreated, path, flag));
      return is_directory && request_.tree != 0 ? take_in(path) : Result<>();
    }
    if ((news.mask & IN_MODIFY) != 0) return tell(Change::kModified, path, flag);
    return (news.mask & IN_ATTRIB) != 0 ? tell(Change::kAttributes, path, flag) : Result<>();
  }

  // A new directory, and what came into it before it was watched.
  Result<> take_in(const std::string& path) {
    auto at = open_top();
    for (const auto& part : parts_of(path)) {
      if (at) at = sys::openat(at->get(), part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    }
    if (!at) return {};  // gone again
    RETURN_IF_ERROR(add(at->get(), path));
    Finder finder(*this, path, Change::kCreated);
    auto found = walk_tree(at->get(), finder);
    // Moved while it was looked at: that is news of its own.
    if (!found && found.error().code == Code::kConflict) return call_.check();
    return found;
  }

  // What lies below a directory that was moved away is not below it any more.
  void forget(const std::string& path) {
    for (auto it = paths_.begin(); it != paths_.end();) {
      const bool is_below = it->second == path || it->second.starts_with(path + "/");
      if (is_below) (void)::inotify_rm_watch(queue_.get(), it->first);
      it = is_below ? paths_.erase(it) : std::next(it);
    }
  }

  Call& call_;
  const wire::file::Watch& request_;
  std::optional<std::pair<dev_t, ino_t>> identity_;
  sys::UniqueFd queue_;
  std::map<int, std::string> paths_;  // by inotify's number
  Changed last_;
  std::uint64_t told_ = 0;
  bool ended_ = false;
};

}  // namespace

Result<Done> watch(Call& call, const wire::file::Watch& request) { return Watcher(call, request).run(); }

}  // namespace files
