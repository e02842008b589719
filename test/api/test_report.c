// SPDX-License-Identifier: Apache-2.0
// What a report with derivatives costs: every kernel is compiled once.
#include "jounce/jounce.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/process.h"
#include "support/check.h"

#define PENDULUM "models/mechanisms/pendulum.yaml"

typedef struct fixture {
  jo_context* ctx;
  jarena a;
  const char *dir, *log;
} fixture;

// A compiler that writes down what it links, and a cache of the test's own.
static int setup(void** state) {
  fixture* f = calloc(1, sizeof *f);
  if (!f || jo_context_create(NULL, &f->ctx) < 0) return -1;
  *state = f;
  jarena_init(&f->a, f->ctx);
  if (jfile_temp_dir(f->ctx, &f->a, "/tmp", &f->dir) < 0) return -1;
  f->log = jarena_printf(&f->a, "%s/links", f->dir);
  const char* cc = jproc_find(&f->a, "cc");
  const char* script = jarena_printf(&f->a, "%s/noting_cc", f->dir);
  const char* text = jarena_printf(&f->a,
                                   "#!/bin/sh\n"
                                   "case \"$*\" in *-shared*) echo linked >> '%s';; esac\n"
                                   "exec '%s' \"$@\"\n",
                                   f->log, cc);
  if (!cc || !script || !text) return -1;
  if (jfile_write(f->ctx, script, text, strlen(text)) < 0 || chmod(script, 0700) != 0) return -1;
  setenv("JOUNCE_CC", script, 1);
  setenv("JOUNCE_CACHE_DIR", jarena_printf(&f->a, "%s/cache", f->dir), 1);
  return 0;
}

static int teardown(void** state) {
  fixture* f = *state;
  jfile_remove_dir(jarena_printf(&f->a, "%s/cache", f->dir));
  jfile_remove_dir(f->dir);
  jarena_free(&f->a);
  jo_context_destroy(f->ctx);
  free(f);
  return 0;
}

static int count_links(fixture* f) {
  char* text = NULL;
  size_t size = 0;
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, f->log, 1 << 16, &text, &size));
  int n = 0;
  for (size_t i = 0; i < size; i++) {
    n += text[i] == '\n';
  }
  return n;
}

static void test_report_compiles_every_kernel_once(void** state) {
  static const char* const wrt[] = {"g", "l"};
  fixture* f = *state;
  jo_model* model;
  assert_ok(f->ctx, jo_model_load(f->ctx, PENDULUM, NULL, 0, &model));
  jo_report_options opt = jo_report_options_default();
  const char* page = jarena_printf(&f->a, "%s/page.html", f->dir);
  // a run, with a replay of it: equations of motion, outputs
  assert_ok(f->ctx, jo_report_write(f->ctx, model, &opt, page, NULL));
  assert_int_equal(count_links(f), 2);
  // derivatives: the same, tangents and adjoints
  opt.wrt = wrt;
  opt.nwrt = 2;
  assert_ok(f->ctx, jo_report_write(f->ctx, model, &opt, page, NULL));
  assert_int_equal(count_links(f), 4);
  jo_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_report_compiles_every_kernel_once, setup, teardown),
  };
  return cmocka_run_group_tests_name("api.report", tests, NULL, NULL);
}
