// Row E14. More open files than one process may have, and as many again that no process holds: they are on
// their way through sockets. Mechanism: RLIMIT_NOFILE, which also bounds what a user has in flight. Expected:
// EMFILE, ETOOMANYREFS. Usage: open_files COUNT [raise]
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "probe.h"

enum { kPerMessage = 250, kPerSocket = 40, kSockets = 64 };

static int hold_open(int wanted) {
  int last = 0;
  int count = 0;
  while (count < wanted && (last = open("/dev/null", O_RDONLY)) >= 0) count++;
  const int error = errno;
  fact("files", "%d", count);
  close_range(3, ~0U, 0);
  errno = error;
  return last >= 0 ? 0 : -1;
}

static int send_files(int socket, const int* files) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * kPerMessage)];
  } control;
  memset(&control, 0, sizeof control);
  char byte = 0;
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control};
  message.msg_controllen = sizeof control;
  struct cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int) * kPerMessage);
  memcpy(CMSG_DATA(rights), files, sizeof(int) * kPerMessage);
  return sendmsg(socket, &message, MSG_DONTWAIT) == 1 ? 0 : -1;
}

static int put_in_flight(int wanted, int* count) {
  for (int s = 0; s < 4 * kSockets && *count < wanted; s++) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return -1;
    for (int m = 0; m < kPerSocket && *count < wanted; m++) {
      int files[kPerMessage];
      for (int i = 0; i < kPerMessage; i++) {
        if ((files[i] = open("/dev/null", O_RDONLY)) < 0) return -1;
      }
      const int sent = send_files(pair[0], files);
      const int error = errno;
      for (int i = 0; i < kPerMessage; i++) close(files[i]);
      errno = error;
      if (sent != 0 && error == EAGAIN) break;  // this socket is full
      if (sent != 0) return -1;
      *count += kPerMessage;
    }
  }
  return *count >= wanted ? 0 : -1;
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  const int wanted = argc > 1 ? atoi(argv[1]) : 70000;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) give_up("getrlimit");
  if (argc > 2) limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) give_up("setrlimit");
  fact("limit", "%lu", (unsigned long)limit.rlim_cur);
  const int held = hold_open(wanted);
  probe_gain(&probes, "open", held);
  int flying = 0;
  const int sent = put_in_flight(wanted, &flying);
  probe_gain(&probes, "in_flight", sent);
  fact("in_flight", "%d", flying);
  close_range(3, ~0U, 0);
  const int after = open("/dev/null", O_RDONLY);
  twin(&probes, "open_after_closing", after >= 0);
  return probes_exit_code(&probes);
}
