// Row B12. System V shared memory, semaphores and message queues, POSIX message queues and shared memory, as
// a way to another world. Mechanism: the ipc namespace, a /dev/shm of its own, RLIMIT_MSGQUEUE. Expected:
// ENOENT for what others made; EMFILE for queues beyond the limit.
//
// Usage: ipc_objects make KEY NAME     makes one of each, for everybody to open
//        ipc_objects look KEY NAME     looks for them, and tries to take more queues than allowed
//        ipc_objects remove KEY NAME
//        ipc_objects fill BYTES        fills a shared segment: its pages count as the sandbox's memory
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include "probe.h"

enum { kSize = 4096, kForAll = 0666, kMessages = 10, kMessageSize = 8192 };

static void make(key_t key, const char* name) {
  umask(0);
  if (shmget(key, kSize, IPC_CREAT | kForAll) < 0) give_up("shmget");
  if (semget(key, 1, IPC_CREAT | kForAll) < 0) give_up("semget");
  if (msgget(key, IPC_CREAT | kForAll) < 0) give_up("msgget");
  struct mq_attr small = {.mq_maxmsg = 1, .mq_msgsize = 64};
  if (mq_open(name, O_CREAT | O_RDWR, kForAll, &small) < 0) give_up("mq_open");
  if (shm_open(name, O_CREAT | O_RDWR, kForAll) < 0) give_up("shm_open");
}

static void take_away(key_t key, const char* name) {
  shmctl(shmget(key, 0, 0), IPC_RMID, NULL);
  semctl(semget(key, 0, 0), 0, IPC_RMID);
  msgctl(msgget(key, 0), IPC_RMID, NULL);
  mq_unlink(name);
  shm_unlink(name);
}

// How many of everything there is in this namespace: ours alone, so none.
static void probe_counts(struct probes* probes) {
  struct shm_info used;
  if (shmctl(0, SHM_INFO, (struct shmid_ds*)&used) < 0) give_up("shmctl SHM_INFO");
  if (used.used_ids > 0) {
    probe_worked(probes, "foreign_segments", "counted");
  } else {
    probe_refused(probes, "foreign_segments", "none");
  }
}

// Ten messages of 8 KiB exceed 64 KiB; both figures are within what the kernel lets an ordinary user ask for.
static void probe_queue_bytes(struct probes* probes) {
  struct mq_attr large = {.mq_maxmsg = kMessages, .mq_msgsize = kMessageSize};
  const mqd_t queue = mq_open("/cove_large", O_CREAT | O_RDWR, 0600, &large);
  probe_gain(probes, "queue_of_80_kib", queue);
  if (queue >= 0) mq_unlink("/cove_large");
}

static void look(struct probes* probes, key_t key, const char* name) {
  probe_counts(probes);
  probe_gain(probes, "shm", shmget(key, 0, 0));
  probe_gain(probes, "sem", semget(key, 0, 0));
  probe_gain(probes, "msg", msgget(key, 0));
  probe_gain(probes, "mq", mq_open(name, O_RDONLY));
  probe_gain(probes, "posix_shm", shm_open(name, O_RDONLY, 0));
  probe_queue_bytes(probes);
}

static bool own_objects_work(void) {
  char name[32];
  snprintf(name, sizeof name, "/cove_own_%d", (int)getpid());
  const key_t key = 0x5eed0000 | getpid();
  make(key, name);
  const bool found = shmget(key, 0, 0) >= 0 && semget(key, 0, 0) >= 0 && msgget(key, 0) >= 0;
  take_away(key, name);
  return found;
}

static int fill(size_t bytes) {
  const int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
  if (id < 0) give_up("shmget of %zu bytes", bytes);
  char* const memory = shmat(id, NULL, 0);
  if (memory == (void*)-1) give_up("shmat");
  shmctl(id, IPC_RMID, NULL);
  for (size_t at = 0; at < bytes; at += kSize) memory[at] = 1;
  fact("filled", "%zu", bytes);
  return kExitWorked;
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "fill") == 0) return fill((size_t)atoll(argv[2]));
  if (argc != 4) give_up("usage: ipc_objects make|look|remove KEY NAME");
  const key_t key = (key_t)strtol(argv[2], NULL, 0);
  if (strcmp(argv[1], "make") == 0) {
    make(key, argv[3]);
    return kExitWorked;
  }
  if (strcmp(argv[1], "remove") == 0) {
    take_away(key, argv[3]);
    return kExitWorked;
  }
  struct probes probes = {0};
  look(&probes, key, argv[3]);
  twin(&probes, "own_objects", own_objects_work());
  return probes_exit_code(&probes);
}
