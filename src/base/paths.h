#pragma once

#include <string>

namespace base {

// Where one instance of Cove keeps its things. Everything follows from the state directory, so that two state
// directories are two separate instances.
struct Paths {
  std::string state;  // what lasts: templates
  std::string templates;
  std::string builds;     // unfinished templates and trash
  std::string disks;      // of sandboxes that live
  std::string server;     // the server's own: database and spool
  std::string catalogue;  // which templates there are, for whom may not look
  std::string run;        // what ends with the machine: sockets, records of live sandboxes
  std::string sandboxes;
  std::string stage;  // an empty directory that helpers mount over, each in its own mount namespace
  std::string spawner_socket;
  std::string spawner_lock;
  std::string spawner_log;
  std::string server_run;  // the server's own, for sockets that clients find by their path
  std::string serve_lock;  // of `cove serve`
  std::string cgroup;      // name of the parent group

  static constexpr const char* kDefaultState = "/var/lib/cove";
  static Paths of(const std::string& state);
};

}  // namespace base
