#pragma once

#include <string>

#include "doctor/finding.h"

namespace doctor {

// The report for a terminal: one line per finding, what to do under those that are not well, the verdict
// last.
std::string render_text(const Report& report);

}  // namespace doctor
