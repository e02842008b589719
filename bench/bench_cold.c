// SPDX-License-Identifier: Apache-2.0
// CPU time of whole commands on the buggy.
//
//   bench_cold [program] [repetitions]
//
// The program is build/jounce unless another is given. Of several repetitions the fastest counts.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/system/file.h"
#include "base/system/process.h"
#include "levels.h"

#define MODEL "models/buggy/step_descent.yaml"
#define FIVE  "k_f,c_f,k_r,c_r,m_c"

typedef struct command {
  const char* name;
  const char* argument[5];  // after the program and its page, where it writes one
  bool has_page;
  double goal;  // CPU time [s]; 0: none
} command;

static const command list[] = {
    {"run: values", {"run", MODEL}, false, 0.15},
    {"sens: five derivatives", {"sens", MODEL, "--wrt", FIVE}, false, 0.4},
    {"sens: all 647", {"sens", MODEL, "--wrt", "all"}, false, 0.8},
    {"report", {"report", MODEL}, true, 0.0},
    {"report: five derivatives", {"report", MODEL, "--wrt", FIVE}, true, 0.0},
};

static void stop(const jo_context* ctx, const char* what) {
  fprintf(stderr, "bench_cold: %s: %s\n", what, ctx ? jo_context_message(ctx) : "");
  exit(1);
}

// Of all commands that have ended, and of theirs [s].
static double children_cpu(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double time_command(jo_context* ctx, const char* program, const command* c,
                           const char* page) {
  const char* argv[9] = {program};
  int n = 1;
  for (int i = 0; i < 5 && c->argument[i]; i++) {
    argv[n++] = c->argument[i];
  }
  if (c->has_page) {
    argv[n++] = "-o";
    argv[n++] = page;
  }
  jproc_command run = {.argv = argv};
  jproc_options opt = {.jobs = 1};
  double start = children_cpu();
  if (jproc_run(ctx, &run, 1, &opt) < 0) stop(ctx, program);
  if (run.exit_code != 0) stop(NULL, "the program failed");
  return children_cpu() - start;
}

// The fastest of several.
static double bench(jo_context* ctx, const char* program, const command* c, int repetitions) {
  double seconds = INFINITY;
  for (int i = 0; i < repetitions; i++) {
    jarena a;
    const char* dir = NULL;
    jarena_init(&a, ctx);
    if (jfile_temp_dir(ctx, &a, "/tmp", &dir) < 0) stop(ctx, "folder");
    const char* page = jarena_printf(&a, "%s/page.html", dir);
    if (!page) stop(NULL, "no memory");
    seconds = fmin(seconds, time_command(ctx, program, c, page));
    jfile_remove_dir(dir);
    jarena_free(&a);
  }
  return seconds;
}

typedef struct request {
  jo_context* ctx;
  const char* program;
  int repetitions;
} request;

static void measure(bench_table* t, void* user) {
  const request* r = user;
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const command* c = &list[i];
    char row[100];
    int n = snprintf(row, sizeof row, "%s | ", c->name);
    if (c->goal > 0.0) snprintf(row + n, sizeof row - (size_t)n, "%.2f", c->goal);
    bench_cell(t, row, "%.2f", bench(r->ctx, r->program, c, r->repetitions));
  }
}

int main(int argc, char** argv) {
  request r = {.program = argc > 1 ? argv[1] : "build/jounce",
               .repetitions = argc > 2 ? atoi(argv[2]) : 3};
  if (r.repetitions < 1) stop(NULL, "usage: bench_cold [program] [repetitions]");
  if (jo_context_create(NULL, &r.ctx) < 0) return 1;
  bench_levels("CPU time [s] | goal", measure, &r);
  jo_context_destroy(r.ctx);
  return 0;
}
