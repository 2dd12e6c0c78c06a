#pragma once

#include <string>

#include "catalogue/catalogue.h"

namespace catalogue {

// Looks through root's store and replaces the catalogue by what is there. Needs root; two at once leave the
// newer of their answers.
Result<> publish(const std::string& state);

}  // namespace catalogue
