// A zygote: the template's interpreter with its packages imported, which contexts are forked from. It runs
// third-party code before any sandbox is there for it, so it is confined like one: the nursery's ids, the
// template alone and read-only, no /proc, an empty network, the user's filter. What it has beyond a sandbox
// is CAP_SYS_ADMIN over the nursery and setns(2): it may enter the sandboxes below, whose namespaces the
// spawner hands it, and nothing else. It lacks a pid namespace of its own: from one it could enter no other.
#pragma once

#include "jail/builder.h"

namespace jail {

// Inside the template, as every template with a Python runtime has it.
constexpr const char* kZygoteProgram = "usr/lib/cove/runtimes/python/zygote.py";

struct ZygoteSpec {
  std::string root;            // the template's directory on the host
  std::uint32_t first_id = 0;  // of the nursery's own block
};

// A process that has executed the interpreter. It says by its channel when it is ready.
Result<sys::Clone> start_zygote(const ZygoteSpec& spec, Wiring& wiring);

}  // namespace jail
