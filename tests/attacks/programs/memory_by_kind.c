// Rows E03 and E04. Takes MIB of memory in one of the forms that are not an ordinary allocation, and holds
// it. Mechanism: the sandbox's control group counts every one of them. Expected: out of memory, or the errno
// of a bound of its own (ENOSPC of a full tmpfs, full socket queues). Usage: memory_by_kind
// heap|disk|shm|memfd|pipes|sockets|page_tables|dentries|sysv_shm|sysv_msg|epoll|tcp|udp MIB
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "probe.h"

#define MIB (1UL << 20)

static char block[MIB];

static int fill(int fd, size_t wanted) {
  for (size_t done = 0; done < wanted; done += sizeof block) {
    if (write(fd, block, sizeof block) != sizeof block) return -1;
  }
  return fd < 0 ? -1 : 0;
}

static int take_heap(size_t wanted) {
  for (size_t done = 0; done < wanted; done += MIB) {
    void* const more = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED) return -1;
    memset(more, 1, MIB);
  }
  return 0;
}

static int take_disk(size_t wanted) { return fill(open("/tmp/hoard", O_CREAT | O_WRONLY, 0600), wanted); }
static int take_shm(size_t wanted) { return fill(open("/dev/shm/hoard", O_CREAT | O_WRONLY, 0600), wanted); }
static int take_memfd(size_t wanted) { return fill(memfd_create("hoard", 0), wanted); }

// A pipe that holds a mebibyte each.
static int take_pipes(size_t wanted) {
  for (size_t done = 0; done < wanted; done += MIB) {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK) != 0 || fcntl(ends[1], F_SETPIPE_SZ, (int)MIB) < 0) return -1;
    if (write(ends[1], block, sizeof block) != sizeof block) return -1;
  }
  return 0;
}

// Messages with a descriptor each, which nobody receives: the queue also keeps sockets that are closed.
static int send_with_descriptor(int socket, int passed) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  struct iovec data = {.iov_base = block, .iov_len = 1 << 15};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control};
  message.msg_controllen = sizeof control;
  struct cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof passed);
  memcpy(CMSG_DATA(rights), &passed, sizeof passed);
  return (int)sendmsg(socket, &message, MSG_DONTWAIT);
}

static int take_sockets(size_t wanted) {
  for (size_t done = 0; done < wanted;) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return -1;
    int sent = 0;
    while ((sent = send_with_descriptor(pair[0], pair[0])) > 0) done += (size_t)sent;
    if (errno != EAGAIN) return -1;
  }
  return 0;
}

// A page of tables for every two mebibytes of address space, in which one byte is read.
static int take_page_tables(size_t wanted) {
  const size_t step = 2 * MIB;
  const size_t size = wanted / 4096 * step;
  char* const space = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED || madvise(space, size, MADV_NOHUGEPAGE) != 0) return -1;
  for (size_t at = 0; at < size; at += step) (void)*(volatile char*)(space + at);
  return 0;
}

// The kernel remembers names that are not there. Nobody is refused: it forgets the oldest.
static int take_dentries(size_t wanted) {
  struct stat found;
  char name[256];
  // Twice, once for the overlay and once for what lies below it, and a long name apart from its entry.
  for (size_t i = 0; i < wanted / 900; i++) {
    snprintf(name, sizeof name, "/usr/%0220zu", i);
    if (stat(name, &found) == 0) return -1;
  }
  return 0;
}

static int take_sysv_shm(size_t wanted) {
  const int id = shmget(IPC_PRIVATE, wanted, IPC_CREAT | 0600);
  char* const memory = id < 0 ? (char*)-1 : shmat(id, NULL, 0);
  if (memory == (char*)-1) return -1;
  memset(memory, 1, wanted);
  return 0;
}

static int take_sysv_msg(size_t wanted) {
  for (size_t done = 0; done < wanted;) {
    const int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    if (id < 0) return -1;
    while (msgsnd(id, &(struct {
                    long type;
                    char text[4000];
                  }){.type = 1},
                  4000, IPC_NOWAIT) == 0)
      done += 4000;
    if (errno != EAGAIN) return -1;
  }
  return 0;
}

// Each watch is a record of its own: a thousand watchers of a thousand pipes are a million.
static int take_epoll(size_t wanted) {
  enum { kPipes = 1000 };
  static int ends[kPipes][2];
  for (int i = 0; i < kPipes; i++) {
    if (pipe(ends[i]) != 0) return -1;
  }
  for (size_t done = 0; done < wanted;) {
    const int watcher = epoll_create1(0);
    if (watcher < 0) return -1;
    for (int i = 0; i < kPipes; i++, done += 200) {
      struct epoll_event event = {.events = EPOLLIN};
      if (epoll_ctl(watcher, EPOLL_CTL_ADD, ends[i][0], &event) != 0) return -1;
    }
  }
  return 0;
}

static struct sockaddr_in bound_to_loopback(int socket) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  if (bind(socket, (struct sockaddr*)&address, size) != 0) give_up("bind");
  if (getsockname(socket, (struct sockaddr*)&address, &size) != 0) give_up("getsockname");
  return address;
}

enum { kConnections = 120 };

// What nobody reads waits in the queues of both ends.
static int take_tcp(size_t wanted) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const struct sockaddr_in address = bound_to_loopback(listener);
  if (listen(listener, kConnections) != 0) return -1;
  size_t done = 0;
  for (int i = 0; i < kConnections && done < wanted; i++) {
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    const int size = 4 * (int)MIB;
    setsockopt(client, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if (connect(client, (const struct sockaddr*)&address, sizeof address) != 0) break;
    for (ssize_t n = 0; (n = send(client, block, 1 << 16, MSG_DONTWAIT)) > 0;) done += (size_t)n;
  }
  fact("queued_kib", "%zu", done >> 10);
  errno = ENOBUFS;
  return done >= wanted ? 0 : -1;
}

// A datagram that finds no room is dropped without a word: what counts is what can be received.
static int take_udp(size_t wanted) {
  enum { kPieces = 6 };
  int receivers[4 * kConnections];
  size_t done = 0;
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  for (int i = 0; i < 4 * kConnections; i++) {
    receivers[i] = socket(AF_INET, SOCK_DGRAM, 0);
    const int size = (int)MIB;
    setsockopt(receivers[i], SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    const struct sockaddr_in address = bound_to_loopback(receivers[i]);
    for (int n = 0; n < kPieces; n++) {
      (void)!sendto(sender, block, 60000, MSG_DONTWAIT, (const struct sockaddr*)&address, sizeof address);
    }
  }
  for (int i = 0; i < 4 * kConnections; i++) {
    for (ssize_t n = 0; (n = recv(receivers[i], block, sizeof block, MSG_DONTWAIT)) > 0;) done += (size_t)n;
  }
  fact("queued_kib", "%zu", done >> 10);
  errno = ENOBUFS;
  return done >= wanted ? 0 : -1;
}

static const struct {
  const char* name;
  int (*take)(size_t wanted);
} kinds[] = {
    {"heap", take_heap},
    {"disk", take_disk},
    {"shm", take_shm},
    {"memfd", take_memfd},
    {"pipes", take_pipes},
    {"sockets", take_sockets},
    {"page_tables", take_page_tables},
    {"dentries", take_dentries},
    {"sysv_shm", take_sysv_shm},
    {"sysv_msg", take_sysv_msg},
    {"epoll", take_epoll},
    {"tcp", take_tcp},
    {"udp", take_udp},
};

int main(int argc, char** argv) {
  struct probes probes = {0};
  if (argc != 3) give_up("usage");
  memset(block, 1, sizeof block);
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) give_up("getrlimit");
  files.rlim_cur = files.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) give_up("setrlimit");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, argv[1]) != 0) continue;
    probe_gain(&probes, argv[1], kinds[i].take((size_t)atol(argv[2]) * MIB));
    return probes_exit_code(&probes);
  }
  give_up("no kind %s", argv[1]);
}
