// The directories of one Cove instance below a temporary one, so that a test needs nothing of the machine's
// own.
#pragma once

#include "base/paths.h"
#include "sys/temp_dir.h"

namespace support {

class Instance {
 public:
  static base::Result<Instance> make() {
    ASSIGN_OR_RETURN(auto dir, sys::TempDir::make());
    Instance instance(std::move(dir));
    const base::Paths& p = instance.paths();
    for (const auto& path : {p.templates, p.builds, p.disks, p.run, p.sandboxes, p.stage}) {
      RETURN_IF_ERROR(sys::mkdir_if_missing(path, 0700));
    }
    return instance;
  }

  const base::Paths& paths() const { return paths_; }

 private:
  explicit Instance(sys::TempDir dir) : dir_(std::move(dir)), paths_(base::Paths::of(dir_.path())) {
    paths_.run = dir_ / "run";
    paths_.sandboxes = paths_.run + "/sandboxes";
    paths_.stage = paths_.run + "/stage";
    paths_.spawner_socket = paths_.run + "/spawner.sock";
    paths_.spawner_lock = paths_.run + "/spawner.lock";
    paths_.spawner_log = paths_.run + "/spawner.log";
  }

  sys::TempDir dir_;
  base::Paths paths_;
};

}  // namespace support
