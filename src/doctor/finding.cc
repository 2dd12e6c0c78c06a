#include "doctor/finding.h"

#include <algorithm>

namespace doctor {

bool Report::default_tier_works() const {
  return std::ranges::none_of(findings, [](const Finding& finding) {
    return finding.level == Level::kRequired &&
           (finding.status == Status::kMissing || finding.status == Status::kUnknown);
  });
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::kRequired:
      return "required";
    case Level::kAdvised:
      return "advised";
  }
  return "required";
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kMissing:
      return "missing";
    case Status::kWeak:
      return "weak";
    case Status::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view name_of(EnvironmentKind kind) {
  switch (kind) {
    case EnvironmentKind::kBareMetal:
      return "bare_metal";
    case EnvironmentKind::kVirtualMachine:
      return "virtual_machine";
    case EnvironmentKind::kContainer:
      return "container";
    case EnvironmentKind::kWsl1:
      return "wsl1";
    case EnvironmentKind::kWsl2:
      return "wsl2";
  }
  return "bare_metal";
}

}  // namespace doctor
