// spawner: the root process. It makes and destroys sandboxes for whoever may connect to its socket: the
// server, or the operator's command line. One thread, one request at a time, fixed messages; it parses no
// JSON, no HTTP, no archive. Nothing of a sandbox dies with it: a later spawner finds the living by their
// records (reconcile.cc).
#pragma once

#include <poll.h>

#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "spawner/sandboxes.h"
#include "sys/fd.h"

namespace spawner {

struct ServiceOptions {
  // How long to stay without a client and without a sandbox; none: until told to stop.
  std::optional<std::chrono::seconds> linger;
  std::vector<uid_t> allowed_users{0};
};

class Service {
 public:
  Service(sys::UniqueFd listener, Sandboxes& sandboxes, ServiceOptions options);

  // Serves until SIGTERM, a Stop request, or the end of lingering.
  Result<> run();

 private:
  void accept_client();
  // False when the client is gone or broke the protocol.
  bool serve_client(int client);
  // Removes a sandbox that nobody has been told of.
  void disown(const wire::spawner::Reply& reply);
  wire::spawner::Reply answer(const wire::spawner::Request& request);
  void answer_one(const wire::spawner::Create& request, wire::spawner::Reply& reply);
  void answer_one(const wire::spawner::Destroy& request, wire::spawner::Reply& reply);
  void answer_one(const wire::spawner::RetireTemplate& request, wire::spawner::Reply& reply);
  void answer_one(const wire::spawner::Status& request, wire::spawner::Reply& reply);
  void answer_one(const wire::spawner::Stop& request, wire::spawner::Reply& reply);
  // The descriptors to wait on: signals, listener, clients, then one per sandbox.
  std::vector<pollfd> waits() const;
  void remove_ended();
  int poll_timeout() const;

  sys::UniqueFd listener_;
  Sandboxes& sandboxes_;
  const ServiceOptions options_;
  sys::UniqueFd signals_;
  std::map<int, sys::UniqueFd> clients_;
  std::chrono::steady_clock::time_point last_use_;
  // Sandboxes that ended and could not be removed yet: when to try again.
  std::map<base::SandboxId, std::chrono::steady_clock::time_point> stuck_;
  bool stopping_ = false;
};

}  // namespace spawner
