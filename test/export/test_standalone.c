// SPDX-License-Identifier: Apache-2.0
// Generated sources compile without Jounce, without a warning, and compute what Jounce computes.
#include "export/standalone.h"

#include <unistd.h>

#include "base/system/file.h"
#include "base/system/process.h"
#include "plant/simulate.h"
#include "support/rig.h"

static void generate(fixture* f, const char* path, const char* text) {
  jmodel* m;
  jexport_standalone made;
  jo_status status = text ? jmodel_parse(f->ctx, text, strlen(text), path, NULL, 0, &m)
                          : jmodel_load(f->ctx, path, NULL, 0, &m);
  assert_ok(f->ctx, status);
  assert_ok(f->ctx, jexport_standalone_write(f->ctx, m, fixture_dir(f), &made));
  assert_true(made.nfile >= 40);
  jmodel_destroy(m);
}

// The line of a quantity in what the compiled driver prints; NaN when it fails.
static double run_driver(fixture* f, const char* compiler, const char* arguments,
                         const char* name) {
  char command[1024], line[256];
  snprintf(
      command, sizeof command,
      "cd %s && make -s clean && make -s CC=%s CFLAGS='-Wall -Wextra -Werror -O0' && ./model %s",
      fixture_dir(f), compiler, arguments);
  double value = NAN;
  size_t n = strlen(name);
  FILE* pipe = popen(command, "r");
  assert_non_null(pipe);
  while (fgets(line, sizeof line, pipe)) {
    if (strncmp(line, name, n) == 0 && strncmp(line + n, " = ", 3) == 0) {
      value = strtod(line + n + 3, NULL);
    }
  }
  assert_int_equal(pclose(pipe), 0);
  return value;
}

// Events, impulses and loops are those of the library, to the last digits.
static void test_standalone_buggy_drives(void** state) {
  fixture* f = *state;
  static const char* const compiler[] = {"gcc", "clang"};
  rig l;
  jplant_options opt = fixture_interpreted();
  jplant_result* r;
  generate(f, "models/buggy/step_descent.yaml", NULL);
  rig_open(&l, "models/buggy/step_descent.yaml", NULL, 0, &opt);
  jplant_simulate_options run = jplant_simulate_options_default();
  run.t_end = 1.0;
  assert_ok(l.ctx, jplant_simulate(l.ctx, l.plant, &run, &r));
  assert_true(r->nevent > 2);
  double psi = r->column[1 + r->noutput].value;
  for (int i = 0; i < 2; i++) {
    if (!jproc_find(&f->a, compiler[i])) continue;
    assert_near(run_driver(f, compiler[i], "- 1e-9 1.0", "psi"), psi, 1e-13 * psi);
  }
  jplant_result_destroy(r);
  rig_close(&l);
}

// Smooth, so that Jounce's own run with the same method and step is reproduced to rounding.
static void test_standalone_is_a_fixed_step_run(void** state) {
  fixture* f = *state;
  rig l;
  jplant_options opt = fixture_interpreted();
  generate(f, "models/mechanisms/four_bar.yaml", NULL);
  rig_open(&l, "models/mechanisms/four_bar.yaml", NULL, 0, &opt);
  jsolve_options o = jsolve_options_default();
  o.method = JSOLVE_RK4;
  o.step = 1e-3;
  double reached;
  jsolve_statistics stats;
  assert_ok(l.ctx,
            jsolve_integrate(l.ctx, &l.run->system, &o, NULL, 0.0, 0.5, l.y, &reached, &stats));
  const jgen_dynamics* d = l.plant->dynamics;
  double* out = calloc((size_t)d->noutput, sizeof *out);
  jplant_outputs(l.run, reached, l.y, out);
  assert_near(run_driver(f, "cc", "rk4 1e-3 0.5", d->output_name[0]), out[0],
              1e-14 * fmax(1.0, fabs(out[0])));
  free(out);
  rig_close(&l);
}

static void test_standalone_escapes_names(void** state) {
  fixture* f = *state;
  static const char text[] =
      "jounce: 1\nname: 'a\" ?\?/ \\ */ %s'\n"
      "bodies:\n  b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n  x: {type: prismatic, parent: ground, child: b, at: [0, 0, 0], axis: [1, 0, 0]}\n"
      "forces:\n  s: {on: x, stiffness: 4}\n"
      "sensors:\n  pos: {value: x, unit: 'm\"); abort(); //'}\n"
      "initial:\n  x: {value: 1, rate: 0}\n"
      "simulation: {end: 1}\n";
  generate(f, "hostile.yaml", text);
  // unit mass on a spring of 4 N/m: x = cos 2t
  assert_near(run_driver(f, "cc", "- 1e-10", "pos"), cos(2.0), 1e-8);
}

static void test_standalone_names_the_folder_it_cannot_make(void** state) {
  fixture* f = *state;
  jmodel* m;
  jexport_standalone made;
  assert_ok(f->ctx, jmodel_load(f->ctx, "models/mechanisms/pendulum.yaml", NULL, 0, &m));
  assert_int_equal(jexport_standalone_write(f->ctx, m, "/proc/nowhere", &made), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(f->ctx), "/proc/nowhere"));
  jmodel_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_standalone_buggy_drives),
      fixture_test(test_standalone_is_a_fixed_step_run),
      fixture_test(test_standalone_escapes_names),
      fixture_test(test_standalone_names_the_folder_it_cannot_make),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
