#pragma once

#include "api/call.h"
#include "api/fields.h"

namespace api {

// Files that come with the request for a run, and those that are wanted back.
struct RunFiles {
  struct Input {
    std::string path;
    std::string bytes;
  };
  std::vector<Input> inputs;
  std::vector<std::string> outputs;  // as they were asked for
};

RunFiles read_run_files(Fields& fields);
// Before the run; directories are made. kExhausted with ENOSPC: the disk is full.
io::Task<> put_inputs(fleet::SandboxPtr sandbox, std::vector<RunFiles::Input> inputs);
// After it: one document for each, with its bytes or why they are not there; 20 MiB together.
io::Task<boost::json::array> take_outputs(fleet::SandboxPtr sandbox, std::vector<std::string> paths);

}  // namespace api
