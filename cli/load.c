// SPDX-License-Identifier: Apache-2.0
// Messages, and the way from a file to a system.
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "failure.h"
#include "terminal.h"

void cli_tell(cli* c) {
  static const char* const prefix[] = {"note: ", "warning: ", ""};
  for (int n = jo_context_diagnostic_count(c->ctx); c->ntold < n; c->ntold++) {
    jo_severity severity;
    const char* text = jo_context_diagnostic(c->ctx, c->ntold, &severity);
    if (severity < JO_ERROR && c->quiet) continue;
    cli_print(stderr, "%s%s\n", prefix[severity], text);
    if (severity == JO_ERROR) cli_note_failure(text);
  }
}

static double seconds(struct timeval t) {
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

double cli_cpu(void) {
  struct timespec own = {0};
  struct rusage compilers = {0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  getrusage(RUSAGE_CHILDREN, &compilers);
  return (double)own.tv_sec + 1e-9 * (double)own.tv_nsec + seconds(compilers.ru_utime) +
         seconds(compilers.ru_stime);
}

cli_exit cli_load(cli* c, jo_model** model) {
  jo_status status = jo_model_load(c->ctx, c->argument[0], c->set, c->nset, model);
  cli_tell(c);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

cli_exit cli_prepare(cli* c, const jo_model* model, const jo_system_options* opt,
                     jo_system** system) {
  jo_system_options o = *opt;
  o.interpreter = c->interpreter;
  o.compiler = c->compiler;
  jo_status status = jo_system_create(c->ctx, model, &o, system);
  cli_tell(c);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

cli_exit cli_load_system(cli* c, jo_model** model, jo_system** system) {
  *system = NULL;
  cli_exit code = cli_load(c, model);
  jo_system_options runs = jo_system_options_default();
  return code == CLI_OK ? cli_prepare(c, *model, &runs, system) : code;
}

static bool has_models(const char* folder) {
  char path[CLI_PATH];
  if (!*folder) return false;
  int n = snprintf(path, sizeof path, "%s/buggy/step_descent.yaml", folder);
  return n > 0 && n < (int)sizeof path && access(path, R_OK) == 0;
}

// PREFIX/share/jounce/models of a program PREFIX/bin/jounce, wherever PREFIX was moved to.
static bool models_beside_program(char out[CLI_PATH]) {
  static const char below[] = "/share/jounce/models";
  ssize_t n = readlink("/proc/self/exe", out, CLI_PATH - sizeof below);
  if (n <= 0 || n >= (ssize_t)(CLI_PATH - sizeof below)) return false;
  out[n] = 0;
  for (int i = 0; i < 2; i++) {
    char* slash = strrchr(out, '/');
    if (!slash) return false;
    *slash = 0;
  }
  memcpy(out + strlen(out), below, sizeof below);
  return has_models(out);
}

void cli_models_folder(char out[CLI_PATH]) {
  bool is_source = has_models(JOUNCE_MODELS_DIR);
  if (!is_source && models_beside_program(out)) return;
  snprintf(out, CLI_PATH, "%s", is_source ? JOUNCE_MODELS_DIR : JOUNCE_INSTALLED_MODELS_DIR);
}
