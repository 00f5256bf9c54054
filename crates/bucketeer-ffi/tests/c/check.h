/* A check that names its line, and a count of them. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

static int checks_passed;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: failed: %s (last error: %s)\n", __FILE__, __LINE__, \
              #condition, bucketeer_last_error());                              \
      exit(1);                                                                  \
    }                                                                           \
    checks_passed++;                                                            \
  } while (0)

#endif
