#include "sys/loop.h"

#include <linux/loop.h>
#include <sys/ioctl.h>

#include <cerrno>

namespace sys {

namespace {
constexpr unsigned kBlockBytes = 4096;
// Somebody else may take the free device between the question and its use.
constexpr int kTries = 64;
}  // namespace

Result<LoopDevice> attach_loop(int file) {
  ASSIGN_OR_RETURN(const auto control, open("/dev/loop-control", O_RDWR));
  loop_config config{};
  config.fd = static_cast<__u32>(file);
  config.block_size = kBlockBytes;
  // Buffered: what is written to a device that lives for a moment only never reaches the host's disk.
  config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
  for (int tries = 0; tries < kTries; ++tries) {
    const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return base::failed_call("ioctl(LOOP_CTL_GET_FREE)");
    LoopDevice device{.path = "/dev/loop" + std::to_string(number)};
    ASSIGN_OR_RETURN(device.fd, open(device.path, O_RDWR));
    if (::ioctl(device.fd.get(), LOOP_CONFIGURE, &config) == 0) return device;
    if (errno != EBUSY) return base::failed_call("ioctl(" + device.path + ", LOOP_CONFIGURE)");
  }
  return base::fail(base::Code::kExhausted, "no loop device stays free long enough to be taken");
}

}  // namespace sys
