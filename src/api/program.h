#pragma once

#include <string>
#include <vector>

#include "api/fields.h"
#include "fleet/sandbox.h"

namespace api {

// Which program to start, where and with what: the fields command, argv, cwd and env. Without command and
// argv it is `otherwise`; when that is empty, one of them has to be there. It has no timeout.
engine::Command read_program(Fields& fields, const fleet::Sandbox& sandbox,
                             std::vector<std::string> otherwise = {});

// Returns when it runs, or has run. An error says what keeps it from that.
io::Task<> until_started(fleet::RunPtr run);

// Kills it with everything that it has started, and waits for its end for a moment. One that has ended stays
// as it is.
io::Task<> kill(fleet::RunPtr run);

}  // namespace api
