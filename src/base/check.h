#pragma once

#include <cstdio>
#include <cstdlib>

// For what only a bug of ours can make false; aborts in every build.
#define BASE_CHECK(condition)                                                            \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
