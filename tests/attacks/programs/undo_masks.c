// Row C09. Gets at what lies below a mask: takes the mask or the read-only /proc/sys away, makes it writable,
// lays something over /proc, mounts a second procfs, moves the masked directory or its parent out of the way.
// Mechanism: seccomp; no CAP_SYS_ADMIN; a mount point cannot be renamed or removed; procfs and tmpfs of /sys
// do not rename. Expected: EPERM from seccomp, EBUSY, EROFS, EACCES from the file systems. Each probe runs in
// a child; what works is undone again.
#include <fcntl.h>
#include <sys/stat.h>

#include "mount_somewhere.h"
#include "probe.h"

static const char* const kMasks[] = {"/proc/kallsyms", "/proc/timer_list", "/proc/interrupts",
                                     "/proc/cmdline"};

static long unmask(const void* unused) {
  (void)unused;
  long result = -1;
  for (size_t i = 0; result != 0 && i < sizeof kMasks / sizeof kMasks[0]; i++) {
    result = umount2(kMasks[i], MNT_DETACH);
  }
  return result;
}

static long unmount_path(const void* path) { return umount2(path, MNT_DETACH); }

static long make_writable(const void* path) {
  return mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static long bind_over(const void* path) {
  const int result = mount("/tmp", path, NULL, MS_BIND, NULL);
  const int error = errno;
  if (result == 0) umount2(path, MNT_DETACH);
  errno = error;
  return result;
}

static long rename_away(const void* path) {
  char target[128];
  snprintf(target, sizeof target, "%s_moved", (const char*)path);
  const int result = rename(path, target);
  const int error = errno;
  if (result == 0) rename(target, path);
  errno = error;
  return result;
}

static long remove_directory(const void* path) { return rmdir(path); }

int main(void) {
  struct probes probes = {0};
  const int* refusals = REFUSED_BY(EPERM, EBUSY, EROFS, EACCES, EXDEV);
  probe_in_child(&probes, "unmask", unmask, NULL, refusals);
  probe_in_child(&probes, "unmount_proc_sys", unmount_path, "/proc/sys", refusals);
  probe_in_child(&probes, "unmount_dev", unmount_path, "/dev", refusals);
  probe_in_child(&probes, "writable_proc_sys", make_writable, "/proc/sys", refusals);
  probe_in_child(&probes, "writable_sys", make_writable, "/sys", refusals);
  probe_in_child(&probes, "bind_over_proc", bind_over, "/proc", refusals);
  probe_in_child(&probes, "bind_over_mask", bind_over, "/proc/irq", refusals);
  const unsigned long sealed = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  const struct mounting proc = {"none", "proc", sealed, NULL};
  const struct mounting sysfs = {"none", "sysfs", sealed, NULL};
  // Without MS_REC: what is mounted on top stays behind.
  const struct mounting bare = {"/proc", NULL, MS_BIND, NULL};
  probe_in_child(&probes, "second_proc", mount_somewhere, &proc, refusals);
  probe_in_child(&probes, "second_sysfs", mount_somewhere, &sysfs, refusals);
  probe_in_child(&probes, "proc_without_masks", mount_somewhere, &bare, refusals);
  static const char* const kPoints[] = {"/proc", "/proc/sys", "/proc/irq", "/dev", "/dev/pts", "/sys"};
  for (size_t i = 0; i < sizeof kPoints / sizeof kPoints[0]; i++) {
    char name[64];
    snprintf(name, sizeof name, "rename_%s", kPoints[i]);
    // procfs looks for the new name first, and makes none.
    probe_in_child(&probes, name, rename_away, kPoints[i], REFUSED_BY(EPERM, EBUSY, EACCES, ENOENT));
    snprintf(name, sizeof name, "remove_%s", kPoints[i]);
    probe_in_child(&probes, name, remove_directory, kPoints[i], refusals);
  }
  return probes_exit_code(&probes);
}
