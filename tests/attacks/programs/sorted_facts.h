// Collects lines and prints them sorted, so that a listing is the same whatever order the kernel gives.
#pragma once

#include "probe.h"

struct lines {
  char** items;
  size_t count;
};

__attribute__((format(printf, 2, 3))) static inline void add_line(struct lines* lines, const char* format,
                                                                  ...) {
  char* line = NULL;
  va_list args;
  va_start(args, format);
  const int size = vasprintf(&line, format, args);
  va_end(args);
  char** grown = realloc(lines->items, (lines->count + 1) * sizeof *grown);
  if (size < 0 || grown == NULL) give_up("out of memory");
  lines->items = grown;
  lines->items[lines->count++] = line;
}

static inline int compare_lines(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

static inline void print_sorted(struct lines* lines, const char* key) {
  if (lines->count > 0) qsort(lines->items, lines->count, sizeof *lines->items, compare_lines);
  for (size_t i = 0; i < lines->count; i++) fact(key, "%s", lines->items[i]);
}
