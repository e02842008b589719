// SPDX-License-Identifier: Apache-2.0
// What a report with derivatives costs: every kernel is compiled once.
#include "jounce/jounce.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system/file.h"
#include "base/system/process.h"
#include "support/fixture.h"

#define PENDULUM "models/mechanisms/pendulum.yaml"

typedef struct subject {
  fixture* base;
  jo_context* ctx;
  const char* log;
} subject;

// A compiler that writes down what it links.
static int setup(void** state) {
  subject* f = calloc(1, sizeof *f);
  *state = f;
  f->base = fixture_open();
  f->ctx = f->base->ctx;
  f->log = fixture_below(f->base, "links");
  const char* cc = jproc_find(&f->base->a, "cc");
  const char* script = fixture_below(f->base, "noting_cc");
  const char* text = jarena_printf(&f->base->a,
                                   "#!/bin/sh\n"
                                   "case \"$*\" in *-shared*) echo linked >> '%s';; esac\n"
                                   "exec '%s' \"$@\"\n",
                                   f->log, cc);
  if (!cc || !script || !text) return -1;
  if (jfile_write(f->ctx, script, text, strlen(text)) < 0 || chmod(script, 0700) != 0) return -1;
  setenv("JOUNCE_CC", script, 1);
  setenv("JOUNCE_CPU", "x86-64", 1);  // there is no machine code for it
  return 0;
}

static int teardown(void** state) {
  subject* f = *state;
  fixture_close(f->base);
  free(f);
  return 0;
}

static int count_links(subject* f) {
  char* text = NULL;
  size_t size = 0;
  assert_ok(f->ctx, jfile_read(f->ctx, &f->base->a, f->log, 1 << 16, &text, &size));
  int n = 0;
  for (size_t i = 0; i < size; i++) {
    n += text[i] == '\n';
  }
  return n;
}

static void write_page(subject* f, const jo_system_options* opt) {
  jo_system* system;
  assert_ok(f->ctx, jo_system_create(f->ctx, f->base->model, opt, &system));
  assert_ok(f->ctx,
            jo_report_write(f->ctx, system, NULL, fixture_below(f->base, "page.html"), NULL));
  jo_system_destroy(system);
}

static void test_report_compiles_every_kernel_once(void** state) {
  static const char* const wrt[] = {"g", "l"};
  subject* f = *state;
  fixture_model(f->base, PENDULUM, NULL, 0);
  // a run, with a replay of it: equations of motion and outputs in one library
  write_page(f, NULL);
  assert_int_equal(count_links(f), 1);
  // derivatives: three more, the same again, tangents and adjoints
  jo_system_options opt = jo_system_options_default();
  opt.wrt = wrt;
  opt.nwrt = 2;
  write_page(f, &opt);
  assert_int_equal(count_links(f), 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_report_compiles_every_kernel_once, setup, teardown),
  };
  return cmocka_run_group_tests_name("api.report", tests, NULL, NULL);
}
