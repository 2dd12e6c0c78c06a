#include "sys/seccomp.h"

#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sys {

Result<> install_seccomp_filter(std::span<const sock_filter> program) {
  const sock_fprog fprog{.len = static_cast<unsigned short>(program.size()),
                         .filter = const_cast<sock_filter*>(program.data())};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &fprog) != 0) {
    return base::failed_call("seccomp(SECCOMP_SET_MODE_FILTER)");
  }
  return {};
}

}  // namespace sys
