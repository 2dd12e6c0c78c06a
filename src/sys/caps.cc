#include "sys/caps.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace sys {

using base::failed_call;

Result<> set_capabilities(CapMask effective, CapMask permitted, CapMask inheritable) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2] = {};
  for (int half = 0; half < 2; ++half) {
    data[half].effective = static_cast<std::uint32_t>(effective >> (32 * half));
    data[half].permitted = static_cast<std::uint32_t>(permitted >> (32 * half));
    data[half].inheritable = static_cast<std::uint32_t>(inheritable >> (32 * half));
  }
  if (::syscall(SYS_capset, &header, data) != 0) return failed_call("capset");
  return {};
}

Result<> limit_bounding_set(CapMask keep) {
  for (int number = 0; number < 64; ++number) {
    if ((keep & cap(number)) != 0) continue;
    if (::prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0) continue;
    // EINVAL: this kernel has no such capability, so all have been seen.
    if (errno == EINVAL) return {};
    return failed_call("prctl(PR_CAPBSET_DROP, " + std::to_string(number) + ")");
  }
  return {};
}

Result<> set_ambient(CapMask mask) {
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
    return failed_call("prctl(ambient clear)");
  for (int number = 0; number < 64; ++number) {
    if ((mask & cap(number)) == 0) continue;
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0, 0) != 0) {
      return failed_call("prctl(ambient raise, " + std::to_string(number) + ")");
    }
  }
  return {};
}

Result<> set_securebits(unsigned bits) {
  if (::prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) != 0) return failed_call("prctl(PR_SET_SECUREBITS)");
  return {};
}

}  // namespace sys
