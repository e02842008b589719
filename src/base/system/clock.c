// SPDX-License-Identifier: Apache-2.0
// Wall and CPU time, for measurements only.
#include "base/system/clock.h"

#include <time.h>

static double seconds(clockid_t clock) {
  struct timespec t = {0};
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double jclock_wall(void) {
  return seconds(CLOCK_MONOTONIC);
}

double jclock_cpu(void) {
  return seconds(CLOCK_PROCESS_CPUTIME_ID);
}
