// Reads fields of a /proc status file, which several fact programs report.
#pragma once

#include "probe.h"

// States `fact <prefix>.<field> <value>` for each named field that the file has; names ends with NULL.
static inline void state_status_fields(const char* path, const char* prefix, const char* const* names) {
  FILE* file = fopen(path, "re");
  if (file == NULL) give_up("open %s", path);
  char line[512];
  while (fgets(line, sizeof line, file) != NULL) {
    char* colon = strchr(line, ':');
    if (colon == NULL) continue;
    *colon = '\0';
    char* value = colon + 1 + strspn(colon + 1, " \t");
    value[strcspn(value, "\n")] = '\0';
    for (const char* const* name = names; *name != NULL; name++) {
      if (strcmp(line, *name) != 0) continue;
      char key[64];
      snprintf(key, sizeof key, "%s.%s", prefix, *name);
      fact(key, "%s", value);
    }
  }
  fclose(file);
}
