// server: puts the parts of the unprivileged process together, runs them, and takes them apart in order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/api.h"
#include "http/server.h"
#include "supervisor/server_command.h"

namespace server {

using base::Result;

// Everything that serves, from when it listens until nothing of it is left.
class Instance {
 public:
  // Ends what an earlier server of this state directory has left, and listens.
  static Result<std::unique_ptr<Instance>> start(const supervisor::ServerCommand& command,
                                                 const base::Config& config, base::Log& log);
  ~Instance();

  // With their real ports.
  std::vector<std::string> addresses() const;
  // Until it is told to stop (SIGTERM, SIGINT), when it ends its sandboxes, or until the supervisor is gone.
  void run();

 private:
  struct Parts;
  explicit Instance(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace server
