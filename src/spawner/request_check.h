#pragma once

#include <string>

#include "base/paths.h"
#include "jail/wiring.h"
#include "wire/spawner_messages.h"

// Whether a request makes sense, before anything is done for it. Pure, except that a root directory must
// exist.
namespace spawner {

base::Result<> check_limits(const wire::spawner::Create& request);
base::Result<> check_digest(const std::string& digest);
// Where the requested root lies on the host: a template by digest, or a build by its directory's name.
base::Result<std::string> root_directory(const wire::spawner::Create& request, const base::Paths& paths);

// Which filter the sandbox's processes get, and its hash for the receipt.
struct FilterChoice {
  int filter = -1;
  std::string hash;
};
FilterChoice filter_choice(const wire::spawner::Create& request, const jail::Materials& materials);

}  // namespace spawner
