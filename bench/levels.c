// SPDX-License-Identifier: Apache-2.0
#include "levels.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/cpu.h"

enum { MAX_ROWS = 200, MAX_TEXT = 160, MAX_LEVELS = 3 };

struct bench_table {
  int nlevel, nrow;  // rows of the column being measured
  int known;         // rows of the first one
  char title[MAX_LEVELS][MAX_TEXT];
  char row[MAX_ROWS][MAX_TEXT], cell[MAX_LEVELS][MAX_ROWS][MAX_TEXT];
};

static const struct {
  jcpu_level level;
  const char* set;  // of instructions
} all[MAX_LEVELS] = {{JCPU_V4, "AVX-512"}, {JCPU_V3, "AVX2"}, {JCPU_V2, "SSE4.2"}};

static void stop(const char* what) {
  fprintf(stderr, "levels: %s\n", what);
  exit(EXIT_FAILURE);
}

void bench_cell(bench_table* t, const char* row, const char* format, ...) {
  va_list args;
  int i = t->nrow++;
  if (i == MAX_ROWS || (t->nlevel > 0 && i == t->known)) stop("too many rows");
  if (t->nlevel == 0) snprintf(t->row[i], MAX_TEXT, "%s", row);
  if (strcmp(t->row[i], row) != 0) stop("rows differ from level to level");
  va_start(args, format);
  vsnprintf(t->cell[t->nlevel][i], MAX_TEXT, format, args);
  va_end(args);
}

static void measure_level(bench_table* t, jcpu_level level, bench_measure measure, void* user) {
  setenv("JOUNCE_CPU", jcpu_name(level), 1);
  t->nrow = 0;
  measure(t, user);
  if (t->nlevel == 0) t->known = t->nrow;
  if (t->nrow != t->known) stop("rows differ from level to level");
  t->nlevel++;
}

static void print_table(const bench_table* t, const char* titles) {
  printf("| %s", titles);
  for (int k = 0; k < t->nlevel; k++) {
    printf(" | %s", t->title[k]);
  }
  printf(" |\n| ---");
  for (const char* c = strchr(titles, '|'); c; c = strchr(c + 1, '|')) {
    printf(" | ---:");
  }
  for (int k = 0; k < t->nlevel; k++) {
    printf(" | ---:");
  }
  printf(" |\n");
  for (int i = 0; i < t->known; i++) {
    printf("| %s", t->row[i]);
    for (int k = 0; k < t->nlevel; k++) {
      printf(" | %s", t->cell[k][i]);
    }
    printf(" |\n");
  }
  fflush(stdout);
}

void bench_levels(const char* titles, bench_measure measure, void* user) {
  bench_table* t = calloc(1, sizeof *t);
  const char* set = getenv("JOUNCE_CPU");
  char* before = set ? strdup(set) : NULL;
  jcpu_level highest = jcpu_chosen();
  if (!t || (set && !before)) stop("no memory");
  for (int k = 0; k < MAX_LEVELS; k++) {
    if (all[k].level > highest || (set && all[k].level != highest)) continue;
    snprintf(t->title[t->nlevel], MAX_TEXT, "%s (%s)", jcpu_name(all[k].level), all[k].set);
    measure_level(t, all[k].level, measure, user);
  }
  if (t->nlevel == 0) {
    snprintf(t->title[0], MAX_TEXT, "%s", jcpu_name(highest));
    measure_level(t, highest, measure, user);
  }
  print_table(t, titles);
  if (before) setenv("JOUNCE_CPU", before, 1);
  if (!before) unsetenv("JOUNCE_CPU");
  free(before);
  free(t);
}
