// Row A18. splice, tee and vmsplice hand pages of files and processes on by reference, which bugs of the Copy
// Fail kind turn into writes to read-only files. Mechanism: seccomp. Expected: EINVAL, which makes callers
// copy instead. Every probe is a call that succeeds where it is allowed; descriptors that are none tell
// whether the call is reached at all.
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "probe.h"

static char text[] = "pages";

static void make_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) give_up("pipe2");
}

static int filled_file(void) {
  const int fd = (int)syscall(SYS_memfd_create, "file", 0);
  if (fd < 0 || write(fd, text, sizeof text) != sizeof text || lseek(fd, 0, SEEK_SET) != 0) give_up("a file");
  return fd;
}

static void probe_real_calls(struct probes* probes) {
  const int* einval = REFUSED_BY(EINVAL);
  int first[2], second[2];
  make_pipe(first);
  make_pipe(second);
  const int file = filled_file();
  const int read_only = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  struct iovec part = {text, sizeof text};
  probe_call(probes, "splice_file_to_pipe", syscall(SYS_splice, file, 0, first[1], 0, sizeof text, 0),
             einval);
  probe_call(probes, "splice_read_only_file", syscall(SYS_splice, read_only, 0, first[1], 0, sizeof text, 0),
             einval);
  probe_call(probes, "vmsplice", syscall(SYS_vmsplice, second[1], &part, 1, 0), einval);
  probe_call(probes, "vmsplice_high_bit", syscall(SYS_vmsplice, WITH_HIGH_BIT(second[1]), &part, 1, 0),
             einval);
  if (write(first[1], "x", 1) != 1) give_up("write to a pipe");
  probe_call(probes, "tee", syscall(SYS_tee, first[0], second[1], 1, 0), einval);
}

static bool ordinary_copies_work(void) {
  int ends[2];
  char back[sizeof text];
  make_pipe(ends);
  const int file = filled_file();
  return sendfile(ends[1], file, NULL, sizeof text) == sizeof text &&
         read(ends[0], back, sizeof back) == sizeof back && memcmp(back, text, sizeof text) == 0;
}

static bool file_to_file_works(void) {
  const int from = filled_file();
  const int to = filled_file();
  return copy_file_range(from, NULL, to, NULL, sizeof text, 0) == sizeof text;
}

int main(void) {
  struct probes probes = {0};
  const int* einval = REFUSED_BY(EINVAL);
  probe_call(&probes, "splice_bad_descriptors", syscall(SYS_splice, -1, 0, -1, 0, 1, 0), einval);
  probe_call(&probes, "tee_bad_descriptors", syscall(SYS_tee, -1, -1, 1, 0), einval);
  probe_call(&probes, "vmsplice_bad_descriptor", syscall(SYS_vmsplice, -1, NULL, 0, 0), einval);
  probe_real_calls(&probes);
  twin(&probes, "sendfile_to_pipe", ordinary_copies_work());
  twin(&probes, "copy_file_range", file_to_file_works());
  return probes_exit_code(&probes);
}
