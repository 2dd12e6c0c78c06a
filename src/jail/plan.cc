#include "jail/plan.h"

#include <linux/securebits.h>
#include <sched.h>

#include <algorithm>

#include "jail/tables.h"

namespace jail {

namespace {

template <class Range>
auto copied(const Range& range) {
  return std::vector(range.begin(), range.end());
}

template <std::size_t N>
sys::CapMask mask_of(const int (&numbers)[N]) {
  sys::CapMask mask = 0;
  for (const int number : numbers) mask |= sys::cap(number);
  return mask;
}

// Plain files where runtimes look for their share of the machine: there is no cgroupfs to tell them.
std::vector<StaticFile> static_sys_files(const Spec& spec) {
  const sys::CgroupLimits& limits = spec.limits;
  auto files = machine_sys_files(spec.machine);
  files.push_back({"fs/cgroup/cpu.max", std::to_string(limits.cpu_millis * 100) + " 100000\n"});
  files.push_back({"fs/cgroup/memory.max", std::to_string(limits.memory_bytes) + "\n"});
  files.push_back({"fs/cgroup/pids.max", std::to_string(limits.max_pids) + "\n"});
  return files;
}

std::string random_uuid() {
  std::string hex = base::random_hex(16);
  hex[12] = '4';  // version and variant of a random UUID
  hex[16] = 'a';
  for (const std::size_t at : {8U, 13U, 18U, 23U}) hex.insert(at, "-");
  return hex;
}

std::vector<StaticFile> identity_files(const std::string& hostname) {
  return {
      {"etc/hostname", hostname + "\n"},
      {"etc/hosts", "127.0.0.1 localhost " + hostname + "\n::1 localhost ip6-localhost ip6-loopback\n"},
      {"etc/machine-id", base::random_hex(16) + "\n"},
  };
}

void plan_files(const Spec& spec, Plan& plan) {
  plan.root_kind = spec.root_kind;
  plan.root = spec.root;
  plan.shm_bytes = spec.limits.memory_bytes / 2;
  plan.mount_points.assign(mount_point_table().begin(), mount_point_table().end());
  plan.identity_files = identity_files(plan.hostname);
  plan.devices = copied(device_table());
  plan.device_links = copied(device_link_table());
  plan.sys_files = static_sys_files(spec);
  plan.hidden_in_proc = copied(hidden_proc_table());
  plan.read_only_in_proc = copied(read_only_proc_table());
  plan.replaced_in_proc = machine_proc_files(spec.machine);
  plan.replaced_in_proc.push_back({"sys/kernel/random/boot_id", random_uuid() + "\n"});
  plan.workspace = spec.workspace;
}

void plan_identity(const Spec& spec, Plan& plan) {
  plan.first_id = spec.first_id;
  plan.ids = {.inside = 0, .outside = spec.first_id, .count = kBlockSize};
  plan.init_id = spec.init_id;
  plan.hostname = spec.id.text();
  plan.namespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
  plan.init_capabilities = mask_of(kInitCapabilities);
  // uid 0 means nothing by itself: capabilities come from the ambient set alone, and nobody can change that.
  plan.securebits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED;
  if (spec.mode == Mode::kUser) return;
  plan.bounding = mask_of(kRootCapabilities);
  plan.init_capabilities = mask_of(kRootCapabilities);
  plan.process.root_capabilities = mask_of(kRootCapabilities);
}

}  // namespace

Plan make_plan(const Spec& spec) {
  Plan plan;
  plan_identity(spec, plan);
  plan_files(spec, plan);
  plan.user_limits = copied(user_limit_table());
  plan.rlimits = copied(rlimit_table());
  plan.cpus = spec.machine.cpus;
  return plan;
}

}  // namespace jail
