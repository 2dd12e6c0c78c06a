// Bare metal, virtual machine, container or WSL, told from the traces each leaves. Pure but for
// gather_traces.
#pragma once

#include <cstdint>
#include <string>

#include "doctor/finding.h"

namespace doctor {

enum class Seen { kNo, kYes };

struct Traces {
  std::string proc_version;
  std::string container_variable;    // container= of pid 1, or systemd's copy of it
  std::string cgroup_membership;     // /proc/1/cgroup
  std::string mountinfo;             //
  Seen dockerenv = Seen::kNo;        // /.dockerenv
  Seen containerenv = Seen::kNo;     // /run/.containerenv
  Seen own_namespaces = Seen::kNo;   // pid, cgroup or user namespace is not the kernel's first
  Seen hypervisor_flag = Seen::kNo;  // in /proc/cpuinfo
  std::string machine_vendor;        // DMI
};

Traces gather_traces();
Environment classify(const Traces& traces);

// Whether a namespace of this process ("user", "pid", "cgroup") is the one the kernel booted with.
bool is_first_namespace(const std::string& kind);

}  // namespace doctor
