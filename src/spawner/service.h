// spawner: the root process. It makes and destroys sandboxes for whoever may connect to its socket: the
// server, or the operator's command line. One thread, one request at a time, fixed messages; it parses no
// JSON, no HTTP, no archive. Nothing of a sandbox dies with it: a later spawner finds the living by their
// records (reconcile.cc).
#pragma once

#include <poll.h>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "spawner/sandboxes.h"
#include "sys/fd.h"

namespace spawner {

struct ServiceOptions {
  // How long to stay without a client and without a sandbox; none: until told to stop.
  std::optional<std::chrono::seconds> linger;
  std::vector<uid_t> allowed_users{0};
  std::string disk_refusals;  // why better disks are not used; told to whoever asks for the state
};

class Service {
 public:
  Service(sys::UniqueFd listener, Sandboxes& sandboxes, ServiceOptions options);

  // Serves until SIGTERM, a Stop request, or the end of lingering. Winding down is the caller's.
  Result<> run();

 private:
  void accept_client();
  // Whether the answer has to wait until a sandbox is gone, and then it does.
  bool waits_for_end(int client, const wire::spawner::Request& request, const wire::spawner::Reply& reply);
  // False when the client is gone or broke the protocol.
  bool serve_client(int client);
  bool send_reply(int client, wire::spawner::Reply reply);
  // Removes a sandbox that nobody has been told of.
  void disown(const wire::spawner::Reply& reply);
  wire::spawner::Reply answer(const wire::spawner::Request& request);
  // Whether whoever asks may ask for this. What concerns templates, and the spawner's own end, is root's.
  Result<> check_right(const wire::spawner::Request& request) const;
  void answer_one(const wire::spawner::Create& request, wire::spawner::Reply& reply);
  void answer_one(const wire::spawner::Destroy& request, wire::spawner::Reply& reply);
  void answer_one(const wire::spawner::RetireTemplate& request, wire::spawner::Reply& reply);
  void answer_one(const wire::spawner::Status& request, wire::spawner::Reply& reply);
  void answer_one(const wire::spawner::Stop& request, wire::spawner::Reply& reply);
  void answer_one(const wire::spawner::Warm& request, wire::spawner::Reply& reply);
  void answer_one(const wire::spawner::EnterContext& request, wire::spawner::Reply& reply);
  // Errands that are done are answered.
  void tend_zygotes();
  // The descriptors to wait on: signals, listener, what is being made ahead, clients, one per sandbox, one
  // per ending, the disks' own, the zygotes'.
  std::vector<pollfd> waits() const;
  void look_after(const std::vector<pollfd>& waiting);
  void tend_disks();
  int time_to_quiet() const;  // milliseconds
  void prepare();
  // Sandboxes whose pid 1 is gone are destroyed; destroyed ones whose last process is gone are taken off the
  // books, and whoever waits for that is told.
  void remove_ended();
  void tell_gone(const std::vector<base::SandboxId>& gone);
  void tell_overdue();
  int poll_timeout() const;

  sys::UniqueFd listener_;
  Sandboxes& sandboxes_;
  const ServiceOptions options_;
  sys::UniqueFd signals_;
  std::map<int, sys::UniqueFd> clients_;
  std::chrono::steady_clock::time_point last_use_;
  // Clients that asked to hear when a sandbox is gone. They are not listened to until then.
  struct Waiter {
    base::SandboxId sandbox;
    std::chrono::steady_clock::time_point deadline;
    EndedAs ended_as = EndedAs::kUnknown;
  };
  std::map<int, Waiter> waiters_;
  // Clients with an errand that zygotes are busy with. They are not listened to, either.
  std::set<int> on_errand_;
  int asking_ = -1;                                     // the client whose request is being answered
  std::chrono::steady_clock::time_point accept_after_;  // no descriptor was left
  std::chrono::steady_clock::time_point tended_;
  std::chrono::steady_clock::time_point looked_;  // for ended sandboxes
  bool stopping_ = false;
};

}  // namespace spawner
