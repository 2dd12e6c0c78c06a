// Rows C01 and C02. Hunts a secret text that the harness planted on the host (files, environment, command
// line) or in a sibling sandbox, also after that sibling was deleted: through every file, link and name the
// sandbox can reach, what /proc tells of each process, and the roots and descriptors it points at; then
// through freshly allocated disk blocks and memory. Mechanism: own root, own pid namespace, blocks that are
// zeroed before they are handed out. Expected: not found. Usage: canary_hunt HEAD TAIL [START…]   the text is
// HEAD followed by TAIL, in two arguments so that this program's own
//                                         command line is no find; it starts at / unless told
#include <dirent.h>
#include <fcntl.h>
#include <search.h>
#include <sys/stat.h>

#include "probe.h"

enum { kChunk = 1 << 20, kProcFileCap = 1 << 20, kFreshBytes = 32 << 20, kMaxDepth = 128 };

struct hunt {
  struct probes probes;
  char canary[256];
  size_t canary_length;
  char* buffer;  // kChunk bytes, after room for the tail of the chunk before
  void* seen;    // a tree of struct inode
  size_t seen_count;
  long files;
};

struct inode {
  dev_t device;
  ino_t number;
};

static bool contains(const struct hunt* hunt, const char* bytes, size_t size) {
  return memmem(bytes, size, hunt->canary, hunt->canary_length) != NULL;
}

static void found(struct hunt* hunt, const char* where) { probe_worked(&hunt->probes, "canary", where); }

static int compare_inodes(const void* a, const void* b) {
  const struct inode* first = a;
  const struct inode* second = b;
  if (first->device != second->device) return first->device < second->device ? -1 : 1;
  if (first->number != second->number) return first->number < second->number ? -1 : 1;
  return 0;
}

// Directories are visited once, however many links of /proc lead there.
static bool first_visit(struct hunt* hunt, const struct stat* status) {
  const struct inode inode = {status->st_dev, status->st_ino};
  if (tfind(&inode, &hunt->seen, compare_inodes) != NULL) return false;
  struct inode* kept = malloc(sizeof *kept);
  if (kept == NULL) give_up("malloc");
  *kept = inode;
  if (tsearch(kept, &hunt->seen, compare_inodes) == NULL) give_up("tsearch");
  hunt->seen_count++;
  return true;
}

// A chunk keeps the end of the one before in front of it, so that a text across the border is seen too.
static void search_descriptor(struct hunt* hunt, int fd, const char* where, off_t cap) {
  size_t kept = 0;
  off_t total = 0;
  hunt->files++;
  while (total < cap) {
    const ssize_t size = read(fd, hunt->buffer + kept, kChunk);
    if (size <= 0) return;
    total += size;
    const size_t filled = kept + (size_t)size;
    if (contains(hunt, hunt->buffer, filled)) {
      found(hunt, where);
      return;
    }
    kept = filled < hunt->canary_length ? filled : hunt->canary_length - 1;
    memmove(hunt->buffer, hunt->buffer + filled - kept, kept);
  }
}

// The size of /proc files is 0, so only the cap bounds them; memory images are another row's matter.
static void search_file(struct hunt* hunt, int directory, const char* name, const char* where) {
  static const char* const kLeftOut[] = {"mem", "kcore", "pagemap", "kmsg", "clear_refs"};
  const bool in_proc = strncmp(where, "/proc/", 6) == 0;
  for (size_t i = 0; in_proc && i < sizeof kLeftOut / sizeof kLeftOut[0]; i++) {
    if (strcmp(name, kLeftOut[i]) == 0) return;
  }
  const int fd = openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  search_descriptor(hunt, fd, where, in_proc ? kProcFileCap : (off_t)1 << 40);
  close(fd);
}

static void search_tree(struct hunt* hunt, int directory, const char* path, int depth);

static void search_link(struct hunt* hunt, int directory, const char* name, const char* where, int depth) {
  char target[4096];
  const ssize_t size = readlinkat(directory, name, target, sizeof target);
  if (size > 0 && contains(hunt, target, (size_t)size)) found(hunt, where);
  // Links of /proc lead to open files and roots themselves, past every path: follow those.
  if (strncmp(where, "/proc/", 6) != 0) return;
  const int fd = openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat status;
  if (fd < 0) return;
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    search_tree(hunt, fd, where, depth + 1);
    return;  // search_tree has taken fd
  }
  if (S_ISREG(status.st_mode) && first_visit(hunt, &status))
    search_descriptor(hunt, fd, where, (off_t)1 << 40);
  close(fd);
}

static void search_entry(struct hunt* hunt, int directory, const char* name, const char* where, int depth) {
  struct stat status;
  if (contains(hunt, name, strlen(name))) found(hunt, where);
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    const int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) search_tree(hunt, fd, where, depth + 1);
  } else if (S_ISLNK(status.st_mode)) {
    search_link(hunt, directory, name, where, depth);
  } else if (S_ISREG(status.st_mode)) {
    search_file(hunt, directory, name, where);
  }
}

// Takes ownership of the descriptor.
static void search_tree(struct hunt* hunt, int directory, const char* path, int depth) {
  struct stat status;
  if (depth > kMaxDepth || fstat(directory, &status) != 0 || !first_visit(hunt, &status)) {
    close(directory);
    return;
  }
  DIR* stream = fdopendir(directory);
  if (stream == NULL) {
    close(directory);
    return;
  }
  for (struct dirent* entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char* where = NULL;
    const char* slash = strcmp(path, "/") == 0 ? "" : "/";
    if (asprintf(&where, "%s%s%s", path, slash, entry->d_name) < 0) give_up("asprintf");
    search_entry(hunt, directory, entry->d_name, where, depth);
    free(where);
  }
  closedir(stream);
}

// What a deleted neighbour leaves behind would show up in storage that is handed out again.
static void search_fresh_storage(struct hunt* hunt) {
  char path[] = "/tmp/canary_hunt_XXXXXX";
  const int fd = mkstemp(path);
  if (fd >= 0) {
    unlink(path);
    if (posix_fallocate(fd, 0, kFreshBytes) == 0)
      search_descriptor(hunt, fd, "fresh_disk_blocks", kFreshBytes);
    close(fd);
  }
  char* memory = mmap(NULL, kFreshBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) give_up("mmap");
  if (contains(hunt, memory, kFreshBytes)) found(hunt, "fresh_memory");
  munmap(memory, kFreshBytes);
}

int main(int argc, char** argv) {
  struct hunt hunt = {0};
  if (argc < 3) give_up("usage: canary_hunt HEAD TAIL [START...]");
  snprintf(hunt.canary, sizeof hunt.canary, "%s%s", argv[1], argv[2]);
  hunt.canary_length = strlen(hunt.canary);
  hunt.buffer = malloc(kChunk + sizeof hunt.canary);
  if (hunt.buffer == NULL || hunt.canary_length < 8) give_up("a canary of at least 8 characters");
  for (int i = 3; i < argc || i == 3; i++) {
    const char* start = i < argc ? argv[i] : "/";
    const int fd = open(start, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) give_up("open %s", start);
    search_tree(&hunt, fd, start, 0);
  }
  search_fresh_storage(&hunt);
  fact("files.searched", "%ld", hunt.files);
  fact("directories.searched", "%zu", hunt.seen_count);
  if (hunt.probes.worked == 0) probe_refused(&hunt.probes, "canary", "not_found");
  return probes_exit_code(&hunt.probes);
}
