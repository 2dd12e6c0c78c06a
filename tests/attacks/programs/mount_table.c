// Row C03. States the mount table without what differs from run to run (ids, device numbers), sorted, options
// in order: `fact mount <mount point> <type> <root within it> <options> <optional fields>`. Mechanism: the
// mount plan. Expected: the golden list; nosuid and nodev everywhere but on the six device nodes, ro where
// due, no shared or slave propagation, no host path.
#include "sorted_facts.h"

// Options arrive in the kernel's order; sorting makes the line independent of it.
static void sort_options(char* options, char* sorted, size_t size) {
  const char* items[64];
  size_t count = 0;
  char* rest = NULL;
  for (char* item = strtok_r(options, ",", &rest); item != NULL && count < 64;
       item = strtok_r(NULL, ",", &rest)) {
    items[count++] = item;
  }
  qsort(items, count, sizeof *items, compare_lines);
  sorted[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    if (i > 0) strncat(sorted, ",", size - strlen(sorted) - 1);
    strncat(sorted, items[i], size - strlen(sorted) - 1);
  }
}

// "36 35 98:0 /root /point rw,noatime master:1 - ext4 source super": ids first, optional fields up to the
// dash.
static void add_mount(struct lines* lines, char* line) {
  char root[1024];
  char point[1024];
  char options[1024];
  char type[128] = "";
  char sorted[1024];
  int used = 0;
  if (sscanf(line, "%*d %*d %*s %1023s %1023s %1023s%n", root, point, options, &used) != 3) {
    give_up("mountinfo line: %s", line);
  }
  char* dash = strstr(line + used, " - ");
  if (dash == NULL || sscanf(dash + 3, "%127s", type) != 1) give_up("mountinfo line: %s", line);
  *dash = '\0';
  const char* optional = line[used] == ' ' ? line + used + 1 : "private";
  sort_options(options, sorted, sizeof sorted);
  add_line(lines, "%s %s %s %s %s", point, type, root, sorted, optional);
}

int main(void) {
  struct lines lines = {0};
  FILE* file = fopen("/proc/self/mountinfo", "re");
  if (file == NULL) give_up("open mountinfo");
  char line[4096];
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    add_mount(&lines, line);
  }
  fclose(file);
  print_sorted(&lines, "mount");
  return 0;
}
