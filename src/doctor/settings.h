// Kernel settings (sysctls) as a table of what each should be.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "doctor/finding.h"

namespace doctor {

// The text of a setting by its name ("kernel.kptr_restrict"); nothing when the kernel has no such setting.
using ReadSetting = std::function<std::optional<std::string>(const std::string& name)>;

std::vector<Finding> judge_settings(const ReadSetting& read);
std::optional<std::string> read_setting(const std::string& name);

}  // namespace doctor
