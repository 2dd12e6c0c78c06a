#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/paths.h"
#include "sys/file.h"

namespace spawner {

using base::Result;

// What a later spawner must know of a sandbox that outlives this one. A record exists exactly when the
// sandbox is complete: a cgroup without one is the remains of a half-made sandbox.
struct Record {
  base::SandboxId id;
  std::uint32_t first_id = 0;
  pid_t pid = 0;
  std::string root;  // template digest or build name
};

std::string format_record(const Record& record);
Result<Record> parse_record(const std::string& text);

Result<> save_record(const base::Paths& paths, const Record& record);
Result<> remove_record(const base::Paths& paths, const base::SandboxId& id);
// Every readable record; a file that is none is an error that names it.
Result<std::vector<Record>> load_records(const base::Paths& paths);

std::string socket_path(const base::Paths& paths, const base::SandboxId& id);
// The name of the same socket before there is a sandbox behind it.
std::string ahead_path(const base::Paths& paths, const base::SandboxId& id);

}  // namespace spawner
