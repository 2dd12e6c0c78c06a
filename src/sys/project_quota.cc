#include "sys/project_quota.h"

#include <linux/dqblk_xfs.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace sys {

namespace {

using base::Code;

// Limits are kept in blocks of this size, whatever the file system's own is.
constexpr std::uint64_t kQuotaBlock = 1024;

// By descriptor (Linux 5.14): the older call wants a block device's path, which need not be in sight.
int quotactl(int directory, unsigned command, std::uint32_t project, void* data) {
  return static_cast<int>(::syscall(SYS_quotactl_fd, directory, QCMD(command, PRJQUOTA), project, data));
}

std::string reason_of(int err) {
  switch (err) {
    case ENOSYS:
    case EOPNOTSUPP:
    case ENOTTY:
      // The kernel says ENOSYS for a file system without quota, too.
      return "the kernel (Linux 5.14 with CONFIG_QUOTACTL; for ext4 also CONFIG_QFMT_V2) or this file system "
             "has no quota";
    case ESRCH:
      return "project quota is off: mount the file system with prjquota (ext4: after tune2fs -O "
             "project,quota -Q prjquota)";
    default:
      return base::failed_call("quotactl_fd", err).error().message;
  }
}

}  // namespace

Result<> check_project_quota(int directory) {
  fs_quota_statv state{};
  state.qs_version = FS_QSTATV_VERSION1;
  if (quotactl(directory, Q_XGETQSTATV, 0, &state) != 0) {
    return base::fail(Code::kUnsupported, reason_of(errno));
  }
  // Counted but not enforced is the trap: limits are taken, and nothing is ever refused.
  if ((state.qs_flags & FS_QUOTA_PDQ_ENFD) == 0) return base::fail(Code::kUnsupported, reason_of(ESRCH));
  if (const auto project = project_of(directory); !project) {
    return base::fail(Code::kUnsupported, "the file system has no projects: " + project.error().message);
  }
  return {};
}

Result<> set_project(int directory, std::uint32_t project) {
  fsxattr attributes{};
  if (::ioctl(directory, FS_IOC_FSGETXATTR, &attributes) != 0) return base::failed_call("ioctl(FSGETXATTR)");
  attributes.fsx_projid = project;
  attributes.fsx_xflags |= FS_XFLAG_PROJINHERIT;
  if (::ioctl(directory, FS_IOC_FSSETXATTR, &attributes) != 0) {
    return base::failed_call("ioctl(FSSETXATTR, project " + std::to_string(project) + ")");
  }
  return {};
}

Result<std::uint32_t> project_of(int directory) {
  fsxattr attributes{};
  if (::ioctl(directory, FS_IOC_FSGETXATTR, &attributes) != 0) return base::failed_call("ioctl(FSGETXATTR)");
  return attributes.fsx_projid;
}

Result<> set_project_limits(int directory, std::uint32_t project, ProjectLimits limits) {
  if_dqblk block{};
  block.dqb_bhardlimit = (limits.bytes + kQuotaBlock - 1) / kQuotaBlock;
  block.dqb_ihardlimit = limits.inodes;
  block.dqb_valid = QIF_LIMITS;
  if (quotactl(directory, Q_SETQUOTA, project, &block) == 0) return {};
  return base::failed_call("quotactl_fd(Q_SETQUOTA, project " + std::to_string(project) + ")");
}

Result<ProjectState> project_state(int directory, std::uint32_t project) {
  if_dqblk block{};
  if (quotactl(directory, Q_GETQUOTA, project, &block) != 0) {
    // xfs knows no project before its first file.
    if (errno == ENOENT) return ProjectState{};
    return base::failed_call("quotactl_fd(Q_GETQUOTA, project " + std::to_string(project) + ")");
  }
  return ProjectState{.limits = {.bytes = block.dqb_bhardlimit * kQuotaBlock, .inodes = block.dqb_ihardlimit},
                      .used = {.bytes = block.dqb_curspace, .inodes = block.dqb_curinodes}};
}

}  // namespace sys
