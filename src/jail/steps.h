#pragma once

#include <span>

#include "jail/plan.h"
#include "jail/wiring.h"

namespace jail {

struct StepBoard;

// What the steps of one sandbox share: the plan, the descriptors, and what earlier steps made for later ones.
struct Build {
  const Plan& plan;
  Wiring& wiring;
  sys::UniqueFd stage;     // the staging area, and the working directory of both tables
  sys::UniqueFd root;      // the root of the sandbox to be
  sys::UniqueFd proc;      // inside: its own procfs
  sys::UniqueFd proc_sys;  // inside: its sys directory, before it is covered
  sys::UniqueFd go;        // inside: read end; a byte means that the id maps are written
  sys::UniqueFd report;    // to the spawner: a failure, a birth; closed by the exec of init
  StepBoard* board = nullptr;
  sys::UniqueFd program;  // init, as this sandbox's own copy of the descriptor
};

struct Step {
  const char* name;
  Result<> (*run)(Build&);
};

// The order is the security argument.
std::span<const Step> host_steps();
std::span<const Step> inside_steps();
std::span<const Step> zygote_steps();

// Those of the first table that a zygote is made with as well.
Result<> join_limits(Build& build);
Result<> own_mount_namespace(Build& build);
Result<> make_stage(Build& build);
Result<> mount_template(Build& build);
Result<> enter_nursery(Build& build);
Result<> limit_processes(Build& build);

}  // namespace jail
