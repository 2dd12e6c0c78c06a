#include <sched.h>

#include <cerrno>
#include <utility>

#include "doctor/check.h"
#include "doctor/child.h"
#include "doctor/finding.h"
#include "doctor/settings.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace doctor {

using base::Result;

namespace {

Outcome outcome_of(const Result<std::string>& result) {
  if (result) return {Status::kOk, *result};
  const bool late = result.error().code == base::Code::kTimeout;
  return {late ? Status::kUnknown : Status::kMissing, result.error().message, result.error().sys_errno};
}

Result<std::string> attempt_apart(const Check& check, const Host& host) {
  if (check.needs == Needs::kRootAndMounts) {
    const auto apart = sys::unshare(CLONE_NEWNS);
    if (!apart) return base::failed_call("unshare(mount namespace)", apart.error().sys_errno);
    RETURN_IF_ERROR(sys::make_private_recursive());
  }
  return check.attempt(host);
}

Outcome run(const Check& check, const Host& host) {
  if (check.look != nullptr) return check.look(host);
  if (check.needs != Needs::kNothing && host.privilege == Privilege::kUser) {
    return {Status::kUnknown, "not tried: only root can"};
  }
  const auto result = run_bounded([&] { return attempt_apart(check, host); }, host.options.attempt_deadline);
  if (check.tidy != nullptr) check.tidy(host);
  return outcome_of(result);
}

// In a container it is mostly the container that takes a thing away, whatever the kernel could do.
bool is_denied_by_container(const Outcome& outcome, const Host& host) {
  const int error = outcome.sys_errno;
  return host.environment.kind == EnvironmentKind::kContainer &&
         (error == EPERM || error == EACCES || error == EROFS || error == ENOSYS);
}

std::string fix_for(const Check& check, const Outcome& outcome, const Host& host) {
  if (outcome.status == Status::kUnknown && host.privilege == Privilege::kUser)
    return "run this command as root";
  return is_denied_by_container(outcome, host) ? "see the note on containers" : check.fix;
}

Finding examine_one(const Check& check, const Host& host) {
  auto outcome = run(check, host);
  std::string fix = fix_for(check, outcome, host);
  return {.id = check.id,
          .level = check.level,
          .status = outcome.status,
          .found = std::move(outcome.found),
          .needed = check.needed,
          .why = check.why,
          .fix = std::move(fix)};
}

}  // namespace

Report examine(const Options& options) {
  const Host host = describe_host(options);
  Report report{.kernel = host.release, .system = host.system, .environment = host.environment};
  for (const auto table : {host_checks(), namespace_checks(), mount_checks(), process_checks(),
                           cgroup_checks(), resource_checks()}) {
    for (const Check& check : table) report.findings.push_back(examine_one(check, host));
  }
  for (Finding& finding : judge_settings(read_setting)) report.findings.push_back(std::move(finding));
  return report;
}

}  // namespace doctor
