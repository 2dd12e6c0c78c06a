// Row C05. Reads what /proc tells about the kernel and the whole machine. Mechanism: masks over a fresh
// procfs. Expected: absent, unreadable or empty. A directory counts as read when it has an entry, a file when
// it yields a byte.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "probe.h"

static const char* const kPaths[] = {
    "acpi",       "asound",       "bus",           "cmdline",     "config.gz",  "driver",     "dynamic_debug",
    "fs",         "interrupts",   "iomem",         "ioports",     "irq",        "kallsyms",   "kcore",
    "key-users",  "keys",         "kmsg",          "kpagecgroup", "kpagecount", "kpageflags", "latency_stats",
    "modules",    "pagetypeinfo", "pressure",      "sched_debug", "scsi",       "slabinfo",   "swaps",
    "timer_list", "timer_stats",  "tty",           "vmallocinfo", "vmstat",     "zoneinfo",   "self/stack",
    "1/stack",    "1/environ",    "sysrq-trigger",
};

// What a byte or an entry was gained from; -1 with errno otherwise.
static long look(const char* path) {
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    DIR* stream = fdopendir(fd);
    long entries = 0;
    for (struct dirent* entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
      if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) entries++;
    }
    closedir(stream);
    errno = ENODATA;
    return entries > 0 ? 0 : -1;
  }
  char byte;
  const ssize_t size = read(fd, &byte, 1);
  const int error = size == 0 ? ENODATA : errno;
  close(fd);
  errno = error;
  return size > 0 ? 0 : -1;
}

int main(void) {
  struct probes probes = {0};
  for (size_t i = 0; i < sizeof kPaths / sizeof kPaths[0]; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%s", kPaths[i]);
    probe_gain(&probes, path, look(path));
  }
  twin(&probes, "/proc/self/status", look("/proc/self/status") == 0);
  twin(&probes, "/proc/meminfo", look("/proc/meminfo") == 0);
  twin(&probes, "/proc/cpuinfo", look("/proc/cpuinfo") == 0);
  return probes_exit_code(&probes);
}
