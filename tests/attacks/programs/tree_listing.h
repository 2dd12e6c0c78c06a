// Lists everything below a directory without crossing into links, one line per entry, for rows that compare
// with a golden list.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "sorted_facts.h"

static inline void add_entry(struct lines* lines, const char* path, const struct stat* status) {
  const unsigned mode = (unsigned)status->st_mode & 07777;
  char target[1024];
  if (S_ISLNK(status->st_mode)) {
    const ssize_t size = readlink(path, target, sizeof target - 1);
    target[size < 0 ? 0 : size] = '\0';
    add_line(lines, "%s link %s", path, target);
  } else if (S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode)) {
    const char* type = S_ISCHR(status->st_mode) ? "char" : "block";
    add_line(lines, "%s %s %u:%u %04o", path, type, major(status->st_rdev), minor(status->st_rdev), mode);
  } else {
    const char* type = S_ISDIR(status->st_mode) ? "dir" : S_ISREG(status->st_mode) ? "file" : "other";
    add_line(lines, "%s %s %04o", path, type, mode);
  }
}

// skip_numbers leaves out entries whose name is a number: ptys and descriptors, which come and go.
enum numbers { kKeepNumbers, kSkipNumbers };

static inline void add_tree(struct lines* lines, const char* path, enum numbers numbers) {
  DIR* stream = opendir(path);
  if (stream == NULL) {
    add_line(lines, "%s unlistable %s", path, errno_name(errno));
    return;
  }
  for (struct dirent* entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
    const char* name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    if (numbers == kSkipNumbers && name[strspn(name, "0123456789")] == '\0') continue;
    char child[2048];
    snprintf(child, sizeof child, "%s/%s", path, name);
    struct stat status;
    if (lstat(child, &status) != 0) continue;
    add_entry(lines, child, &status);
    if (S_ISDIR(status.st_mode)) add_tree(lines, child, numbers);
  }
  closedir(stream);
}
