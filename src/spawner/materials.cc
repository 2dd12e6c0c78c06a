#include "spawner/materials.h"

#include "jail/seccomp_filter.h"
#include "spawner/host.h"

namespace spawner {

namespace {

using base::Result;
using jail::SeccompProfile;

std::string_view bytes_of(const std::vector<sock_filter>& program) {
  return {reinterpret_cast<const char*>(program.data()), program.size() * sizeof(sock_filter)};
}

Result<> make_filter(SeccompProfile profile, sys::UniqueFd& memfd, std::string& hash) {
  ASSIGN_OR_RETURN(const auto program, jail::build_filter(profile));
  hash = jail::filter_hash(program);
  ASSIGN_OR_RETURN(memfd, sys::sealed_memfd("cove-filter", bytes_of(program), 0444));
  return {};
}

}  // namespace

Result<jail::Materials> make_materials(const base::Paths& paths, const Programs& programs) {
  jail::Materials materials;
  materials.stage = paths.stage;
  ASSIGN_OR_RETURN(const auto program, sys::read_file(programs.init, 64 << 20));
  // Execute-only: a process that runs it is not dumpable, so nothing inside can look into pid 1.
  ASSIGN_OR_RETURN(materials.init_program, sys::sealed_memfd("cove-init", program, 0111));
  materials.abi_gate = jail::abi_gate();
  ASSIGN_OR_RETURN(materials.init_filter, jail::build_filter(SeccompProfile::kInit));
  ASSIGN_OR_RETURN(materials.zygote_filter, jail::build_filter(SeccompProfile::kZygote));
  ASSIGN_OR_RETURN(materials.enter_library, sys::read_file(programs.enter_library));
  RETURN_IF_ERROR(make_filter(SeccompProfile::kUser, materials.user_filter, materials.user_filter_hash));
  RETURN_IF_ERROR(make_filter(SeccompProfile::kUserNoSetid, materials.user_no_setid_filter,
                              materials.user_no_setid_filter_hash));
  RETURN_IF_ERROR(make_filter(SeccompProfile::kRoot, materials.root_filter, materials.root_filter_hash));
  ASSIGN_OR_RETURN(materials.host, read_host());
  return materials;
}

}  // namespace spawner
