// Row C13. Games with the layers of the root, on a small tree of the template below DIR (DIR/lower/file,
// DIR/lower/sub/deep, DIR/lower/mapped): deletions written by hand, overlayfs' own attributes, moves of
// directories that lie in the template, hard links to its files, writes through shared mappings. Mechanism:
// the template is mounted read-only below an overlay without redirect_dir, metacopy and user attributes; its
// attributes take CAP_SYS_ADMIN over the kernel's own user namespace; seccomp refuses device nodes. Expected:
// EPERM, EXDEV, EACCES, ignored; what is lawful (writing a file, linking it) happens in the sandbox's own
// layer, and the harness sees the template's digest unchanged. Usage: overlay_games DIR
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "probe.h"

static void try_attribute(struct probes* probes, const char* path, const char* name, const char* value) {
  char probe[96];
  snprintf(probe, sizeof probe, "set_%s", name);
  probe_gain(probes, probe, setxattr(path, name, value, strlen(value), 0));
}

// As overlayfs mounted with "userxattr" would obey it: the directory's content vanishes.
static void try_user_attribute(struct probes* probes) {
  (void)setxattr("lower/sub", "user.overlay.opaque", "y", 1, 0);
  (void)setxattr("lower/sub", "user.overlay.redirect", "/etc", 4, 0);
  if (access("lower/sub/deep", F_OK) == 0 && access("lower/sub/passwd", F_OK) != 0) {
    probe_refused(probes, "user_attributes_obeyed", "ignored");
  } else {
    probe_worked(probes, "user_attributes_obeyed", "obeyed");
  }
}

static void write_mapping(struct probes* probes) {
  const int fd = open("lower/mapped", O_RDWR | O_CLOEXEC);
  char* map = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const bool mapped = map != MAP_FAILED;
  if (mapped) {
    map[0] = 'X';
    twin(probes, "shared_mapping", msync(map, 4096, MS_SYNC) == 0);
    munmap(map, 4096);
  } else {
    twin(probes, "shared_mapping", false);
  }
  if (fd >= 0) close(fd);
}

// A mapping that was made for reading, from before the file was copied to our layer.
static void upgrade_mapping(struct probes* probes) {
  const int fd = open("lower/file", O_RDONLY | O_CLOEXEC);
  void* map = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) give_up("map lower/file");
  probe_gain(probes, "upgrade_mapping", mprotect(map, 4096, PROT_READ | PROT_WRITE));
  munmap(map, 4096);
  close(fd);
}

static bool write_and_link(void) {
  const int fd = open("lower/file", O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0 || write(fd, "changed", 7) != 7) return false;
  close(fd);
  return link("lower/file", "lower/linked") == 0 && chmod("lower/linked", 0600) == 0 &&
         truncate("lower/linked", 3) == 0 && unlink("lower/file") == 0;
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  if (argc != 2 || chdir(argv[1]) != 0) give_up("usage: overlay_games DIR");
  probe_gain(&probes, "whiteout", mknod("lower/whiteout", S_IFCHR | 0600, makedev(0, 0)));
  try_attribute(&probes, "lower", "trusted.overlay.opaque", "y");
  try_attribute(&probes, "lower/sub", "trusted.overlay.redirect", "/etc");
  try_attribute(&probes, "lower/file", "trusted.overlay.metacopy", "");
  try_user_attribute(&probes);
  upgrade_mapping(&probes);
  const int renamed = rename("lower/sub", "lower/moved");
  probe_gain(&probes, "rename_directory_of_template", renamed);
  if (renamed == 0) rename("lower/moved", "lower/sub");
  write_mapping(&probes);
  twin(&probes, "write_and_link", write_and_link());
  const bool made = mkdir("lower/own", 0755) == 0 && rename("lower/own", "lower/own_moved") == 0;
  twin(&probes, "rename_own_directory", made);
  twin(&probes, "delete", unlink("lower/sub/deep") == 0 && rmdir("lower/sub") == 0);
  return probes_exit_code(&probes);
}
