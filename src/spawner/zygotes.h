#pragma once

#include <poll.h>

#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spawner/arrival.h"
#include "spawner/endings.h"
#include "spawner/zygote.h"

namespace spawner {

// The zygotes, one per template, and the newcomers on their way. Each is started when it is first asked for,
// and anew when one has died. Nothing here waits: what takes time is an errand, answered when it is done.
class Zygotes {
 public:
  // At once per zygote, so that a call always finds room in its channel.
  static constexpr std::ptrdiff_t kMostUnderWay = 32;

  Zygotes(const Zygote::Parts& parts, Endings& endings) : parts_(parts), endings_(endings) {}

  // Where a template's zygote is made, and with what.
  struct Origin {
    std::string name;       // of the root
    std::string directory;  // on the host
    const Nursery* nursery = nullptr;
  };
  // Begin an errand for a client. Errors here are answered at once; kUnsupported: this template has no
  // zygote.
  Result<> warm(int client, const Origin& origin);
  Result<> enter(int client, const Origin& origin, Destination to);
  // Starts it unless it is there, without haste. True: it is ready.
  Result<bool> ready(const Origin& origin);

  void add_polls(std::vector<pollfd>& polls) const;
  // Instead of a client: the caller himself.
  static constexpr int kNobody = -1;
  struct Answer {
    int client = kNobody;
    std::optional<base::SandboxId> sandbox;  // that was to be entered
    Result<> outcome;
  };
  // Goes on with everything that can go on; the errands that are done with it.
  std::vector<Answer> tend();

  void end(const std::string& root);
  void end_all();
  std::size_t size() const { return zygotes_.size(); }

 private:
  struct Errand {
    int client = -1;
    Origin origin;
    std::optional<Destination> to;  // none: only to warm up
    std::optional<Arrival> arrival = {};
    bool is_second_try = false;
  };

  Result<Zygote*> of(const Origin& origin);
  // Somebody waits for this template's zygote.
  bool has_client(const std::string& root) const;
  static Answer answer_of(const Errand& errand, Result<> outcome);
  // A zygote that has served and has died is replaced, once for each errand. One that has not served fails
  // its errands: the next would not, either.
  void lose(const std::string& root, const base::Error& error);
  void drop(const std::string& root);
  void fail_errands(const std::string& root, const base::Error& error);
  // Newcomers of a zygote that are on their way.
  std::ptrdiff_t under_way(const std::string& root) const;
  // Nothing: it is not over yet.
  std::optional<Result<>> advance(Errand& errand);

  const Zygote::Parts parts_;
  Endings& endings_;
  std::map<std::string, Zygote> zygotes_;  // by root
  std::list<Errand> errands_;
  std::vector<Answer> answers_;  // not yet fetched
};

}  // namespace spawner
