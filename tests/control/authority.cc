#include "tests/control/authority.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>

#include <cstdlib>

#include "sys/process.h"

namespace control {

namespace {

using jail::Weakness;

constexpr sys::CapMask kEveryCapability = (sys::CapMask{1} << 41) - 1;

// A filter that filters nothing.
constexpr sock_filter kAllowEverything = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

enum class Filters { kUsual, kNone };
enum class InitProgram { kUsual, kReadable };

Result<> copy_filters(const jail::Materials& usual, Filters filters, jail::Materials& out) {
  if (filters == Filters::kUsual) {
    out.abi_gate = usual.abi_gate;
    out.init_filter = usual.init_filter;
    ASSIGN_OR_RETURN(out.user_filter, sys::lift_fd(usual.user_filter.get(), 3));
    ASSIGN_OR_RETURN(out.user_no_setid_filter, sys::lift_fd(usual.user_no_setid_filter.get(), 3));
    ASSIGN_OR_RETURN(out.root_filter, sys::lift_fd(usual.root_filter.get(), 3));
    return {};
  }
  out.abi_gate = {kAllowEverything};
  out.init_filter = {kAllowEverything};
  const std::string_view bytes(reinterpret_cast<const char*>(&kAllowEverything), sizeof kAllowEverything);
  for (sys::UniqueFd* filter : {&out.user_filter, &out.user_no_setid_filter, &out.root_filter}) {
    ASSIGN_OR_RETURN(*filter, sys::sealed_memfd("unfiltered", bytes, 0444));
  }
  return {};
}

Result<jail::Materials> variant(const jail::Materials& usual, Filters filters, InitProgram init) {
  jail::Materials out;
  out.stage = usual.stage;
  RETURN_IF_ERROR(copy_filters(usual, filters, out));
  if (init == InitProgram::kUsual) {
    ASSIGN_OR_RETURN(out.init_program, sys::lift_fd(usual.init_program.get(), 3));
    return out;
  }
  ASSIGN_OR_RETURN(const auto program, sys::pread_text(usual.init_program.get(), 64 << 20));
  ASSIGN_OR_RETURN(out.init_program, sys::sealed_memfd("cove-init", program, 0777));
  return out;
}

// "257 userfaultfd" in the list of the kernel's miscellaneous devices; 0 when it has none.
Result<unsigned> misc_minor(const std::string& name) {
  ASSIGN_OR_RETURN(const auto text, sys::read_file("/proc/misc"));
  const std::size_t at = text.find(" " + name + "\n");
  if (at == std::string::npos) return 0U;
  const std::size_t line = text.rfind('\n', at);
  return static_cast<unsigned>(std::atoi(text.c_str() + (line == std::string::npos ? 0 : line + 1)));
}

void keep_capabilities(jail::Plan& plan) {
  plan.bounding = kEveryCapability;
  plan.init_capabilities = kEveryCapability;
  plan.process.user_capabilities = kEveryCapability;
  plan.process.root_capabilities = kEveryCapability;
  plan.securebits = 0;
}

void unmask_proc(jail::Plan& plan) {
  plan.hidden_in_proc.clear();
  plan.read_only_in_proc.clear();
  plan.replaced_in_proc.clear();
  plan.hide_processes = "off";
}

void edit_namespaces(jail::Plan& plan, std::uint32_t weaknesses) {
  const std::pair<Weakness, std::uint64_t> shared[] = {{Weakness::kSharedPid, CLONE_NEWPID},
                                                       {Weakness::kSharedIpc, CLONE_NEWIPC},
                                                       {Weakness::kSharedUts, CLONE_NEWUTS}};
  for (const auto& [weakness, flag] : shared) {
    if (has(weaknesses, weakness)) plan.namespaces &= ~flag;
  }
  if (has(weaknesses, Weakness::kOwnNetwork)) plan.namespaces |= CLONE_NEWNET;
}

}  // namespace

Result<std::unique_ptr<Authority>> Authority::make(const jail::Materials& usual) {
  std::unique_ptr<Authority> made(new Authority);
  ASSIGN_OR_RETURN(made->unfiltered_, variant(usual, Filters::kNone, InitProgram::kUsual));
  ASSIGN_OR_RETURN(made->readable_, variant(usual, Filters::kUsual, InitProgram::kReadable));
  ASSIGN_OR_RETURN(made->unfiltered_and_readable_, variant(usual, Filters::kNone, InitProgram::kReadable));
  ASSIGN_OR_RETURN(made->userfaultfd_minor_, misc_minor("userfaultfd"));
  return made;
}

void Authority::weaken(jail::Spec& spec, std::uint32_t weaknesses) const {
  if (has(weaknesses, Weakness::kWholeIdRange)) spec.first_id = 0;
  if (has(weaknesses, Weakness::kReadableInit)) spec.init_id = jail::kUserId;
}

void Authority::weaken(jail::Plan& plan, std::uint32_t weaknesses) const {
  edit_namespaces(plan, weaknesses);
  if (has(weaknesses, Weakness::kFullCapabilities)) keep_capabilities(plan);
  if (has(weaknesses, Weakness::kUnmaskedProc)) unmask_proc(plan);
  if (has(weaknesses, Weakness::kNoUserLimits)) {
    plan.user_limits.clear();
    plan.rlimits.clear();
  }
  if (has(weaknesses, Weakness::kOldRootStays)) plan.mount_points.emplace_back("oldroot");
  if (has(weaknesses, Weakness::kSetid)) plan.securebits = 0;
  if (has(weaknesses, Weakness::kMoreDevices)) {
    plan.devices.push_back({"kmsg", 1, 11});
    if (userfaultfd_minor_ != 0) plan.devices.push_back({"userfaultfd", 10, userfaultfd_minor_});
  }
  if (has(weaknesses, Weakness::kLinksFollowed)) {
    plan.mount_points.clear();
    plan.identity_files.clear();
  }
}

const jail::Materials* Authority::materials_for(std::uint32_t weaknesses,
                                                const jail::Materials& usual) const {
  const bool readable = has(weaknesses, Weakness::kReadableInit);
  if (has(weaknesses, Weakness::kNoSeccomp)) return readable ? &unfiltered_and_readable_ : &unfiltered_;
  return readable ? &readable_ : &usual;
}

jail::StepHook* Authority::hook_for(std::uint32_t weaknesses) const {
  steps_->set_weaknesses(weaknesses);
  return steps_.get();
}

}  // namespace control
