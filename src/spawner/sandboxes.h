#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/paths.h"
#include "jail/builder.h"
#include "jail/control.h"
#include "spawner/nurseries.h"
#include "spawner/records.h"
#include "sys/cgroup.h"
#include "wire/spawner_messages.h"

namespace spawner {

// A sandbox that this spawner made, or found alive when it started.
struct Sandbox {
  Record record;
  sys::UniqueFd pidfd;  // of its pid 1
};

struct Created {
  base::SandboxId id;
  std::string socket;
  std::string seccomp;
  std::vector<jail::StepDuration> steps;
};

// Makes and ends sandboxes, and keeps the books: which live, in which id blocks, of which template.
// Single-threaded.
class Sandboxes {
 public:
  struct Parts {
    const base::Paths& paths;
    const jail::Materials& materials;
    sys::CgroupTree& cgroups;
    std::vector<std::string> workspace_roots;
    const jail::ControlAuthority* control = nullptr;  // tests only: may weaken a sandbox
  };
  explicit Sandboxes(Parts parts);

  Result<Created> create(const wire::spawner::Create& request);
  Result<> destroy(const base::SandboxId& id);
  // Moves a template that no sandbox uses out of sight, atomically with respect to create. Returns its trash
  // name.
  Result<std::string> retire_template(const std::string& digest);
  // Takes over what an earlier spawner left: complete sandboxes live on, the rest is removed.
  Result<> reconcile();

  // A half-made sandbox's pid 1 is our child, and in no book. It may end after its cgroup has become empty,
  // and so it is reaped whenever there is nothing else to do. What is reaped here of a complete one is found
  // by its pidfd all the same.
  static void reap();

  std::size_t alive() const { return sandboxes_.size(); }
  std::size_t nurseries() const { return nurseries_.size(); }
  const std::map<base::SandboxId, Sandbox>& all() const { return sandboxes_; }

 private:
  Result<jail::Spec> spec_of(const wire::spawner::Create& request) const;
  // Retires idle nurseries when all id slots are taken.
  Result<const Nursery*> nursery_of(const std::string& root);
  Result<Created> build_in_group(const jail::Spec& spec, const wire::spawner::Create& request,
                                 const Nursery& nursery);
  Result<jail::Wiring> wire_up(const jail::Spec& spec, const wire::spawner::Create& request,
                               const Nursery& nursery);
  Result<> adopt(Record record);
  // Kills what is left, waits for it, removes every trace. The id block is free after this.
  Result<> erase_traces(const base::SandboxId& id);

  const base::Paths& paths_;
  const jail::Materials& materials_;
  sys::CgroupTree& cgroups_;
  const std::vector<std::string> workspace_roots_;
  const jail::ControlAuthority* const control_;
  IdBlocks blocks_;
  Nurseries nurseries_;
  std::map<base::SandboxId, Sandbox> sandboxes_;
};

}  // namespace spawner
