#include "sys/loop.h"

#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include <array>
#include <cerrno>
#include <sstream>

namespace sys {

namespace {
constexpr unsigned kBlockBytes = 4096;
// Somebody else may take the free device between the question and its use.
constexpr int kTries = 64;

Result<std::string> device_entry(int mount) {
  ASSIGN_OR_RETURN(const auto st, fstat(mount));
  return "/sys/dev/block/" + std::to_string(::major(st.st_dev)) + ":" + std::to_string(::minor(st.st_dev));
}

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

Result<std::string> device_path(int mount) {
  ASSIGN_OR_RETURN(const auto entry, device_entry(mount));
  ASSIGN_OR_RETURN(const auto target, readlinkat(AT_FDCWD, entry));
  return "/dev/" + target.substr(target.rfind('/') + 1);
}

// The kernel's Documentation/block/stat.rst: the fifth number counts writes, the ninth what is under way.
Result<std::uint64_t> device_writes(int mount) {
  ASSIGN_OR_RETURN(const auto entry, device_entry(mount));
  ASSIGN_OR_RETURN(const auto text, read_file(entry + "/stat"));
  std::istringstream in(text);
  std::array<std::uint64_t, 9> numbers{};
  for (std::uint64_t& number : numbers) {
    if (!(in >> number)) return base::fail(base::Code::kUnsupported, entry + "/stat is not understood");
  }
  return numbers[4] + numbers[8];
}

}  // namespace sys
