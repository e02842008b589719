// SPDX-License-Identifier: Apache-2.0
// A host that has chosen a locale with decimal commas gets the same files, to the byte.
#include "jounce/jounce.h"

#include <stdlib.h>

#include "base/system/file.h"
#include "support/comma_locale.h"
#include "support/fixture.h"

#define PENDULUM "models/mechanisms/pendulum.yaml"
#define BUGGY    "models/buggy/step_descent.yaml"
#define CAR      "test/models/sweep_quarter_car.yaml"

// A file of the folder.
static const char* below(fixture* f, const char* locale, const char* name) {
  return jarena_printf(&f->a, "%s/%s_%s", fixture_dir(f), locale, name);
}

static jo_system* prepare(fixture* f, const jo_model* m, unsigned use, const char* const* wrt,
                          int nwrt) {
  jo_system_options opt = {.use = use, .wrt = wrt, .nwrt = nwrt, .interpreter = 1};
  jo_system* system;
  assert_ok(f->ctx, jo_system_create(f->ctx, m, &opt, &system));
  return system;
}

static void write_run(fixture* f, const jo_model* m, const char* locale) {
  jo_system* system = prepare(f, m, JO_USE_RUNS, NULL, 0);
  jo_simulate_options opt = jo_simulate_options_default();
  opt.t_end_s = 0.5;
  jo_result* result;
  assert_ok(f->ctx, jo_simulate(f->ctx, system, &opt, &result));
  assert_ok(f->ctx, jo_result_save(f->ctx, result, below(f, locale, "run.csv")));
  jo_result_destroy(result);
  jo_system_destroy(system);
}

static void write_sens(fixture* f, const jo_model* m, const char* locale) {
  static const char* const wrt[] = {"g", "l"};
  jo_system* system = prepare(f, m, JO_USE_CONTRIBUTIONS, wrt, 2);
  jo_sens_options opt = jo_sens_options_default();
  jo_sens_result* result;
  assert_ok(f->ctx, jo_sens_run(f->ctx, system, &opt, &result));
  assert_ok(f->ctx, jo_sens_save(f->ctx, result, below(f, locale, "sens.csv")));
  const jo_sens_vcurve_point point[] = {{.relative = 0.1,
                                         .forward = 1.5,
                                         .central = 1.25,
                                         .forward_error = 0.5,
                                         .central_error = 0.25},
                                        {.relative = 0.01,
                                         .forward = 1.05,
                                         .central = 1.0025,
                                         .forward_error = 0.05,
                                         .central_error = 0.0025}};
  assert_ok(f->ctx, jo_sens_vcurve_save(f->ctx, system, 0, 0, point, 2, 1.0,
                                        below(f, locale, "curve.svg")));
  jo_sens_result_destroy(result);
  jo_system_destroy(system);
}

static void write_loads(fixture* f, const jo_model* m, const char* locale) {
  jo_system* system = prepare(f, m, JO_USE_LOADS, NULL, 0);
  jo_loads_options opt = jo_loads_options_default();
  opt.t_end_s = 0.2;
  jo_loads_result* result;
  assert_ok(f->ctx, jo_loads_run(f->ctx, system, &opt, &result));
  assert_ok(f->ctx, jo_loads_save(f->ctx, result, below(f, locale, "loads.csv")));
  assert_ok(f->ctx, jo_loads_save(f->ctx, result, below(f, locale, "loads.events")));
  jo_loads_result_destroy(result);
  jo_system_destroy(system);
}

static void write_report(fixture* f, const jo_model* m, const char* locale) {
  static const char* const wrt[] = {"k_f"};
  jo_system* system = prepare(f, m, JO_USE_RUNS | JO_USE_CONTRIBUTIONS, wrt, 1);
  assert_ok(f->ctx, jo_report_write(f->ctx, system, NULL, below(f, locale, "report.html"), NULL));
  jo_system_destroy(system);
}

static void write_sweep(fixture* f, const jo_model* m, const char* locale) {
  const jo_range range = {.name = "g", .from = 9.5, .to = 10.25, .n = 2};
  jo_sweep_options opt = jo_sweep_options_default();
  opt.range = &range;
  opt.nrange = 1;
  jo_system* system = prepare(f, m, JO_USE_RUNS, NULL, 0);
  jo_sweep* sweep;
  assert_ok(f->ctx, jo_sweep_create(f->ctx, system, &opt, &sweep));
  assert_ok(f->ctx, jo_sweep_run(sweep));
  assert_ok(f->ctx, jo_sweep_save(f->ctx, sweep, below(f, locale, "sweep.csv")));
  jo_sweep_destroy(sweep);
  jo_system_destroy(system);
}

static void write_files(fixture* f, const char* locale) {
  const jo_setting set[] = {{"l", "0.75"}};
  jo_model *pendulum, *buggy, *car;
  assert_ok(f->ctx, jo_model_load(f->ctx, PENDULUM, set, 1, &pendulum));
  assert_ok(f->ctx, jo_model_load(f->ctx, BUGGY, NULL, 0, &buggy));
  assert_ok(f->ctx, jo_model_load(f->ctx, CAR, NULL, 0, &car));
  write_run(f, pendulum, locale);
  write_sens(f, pendulum, locale);
  write_sweep(f, pendulum, locale);
  write_report(f, buggy, locale);
  write_loads(f, car, locale);
  const char* sources = jarena_printf(&f->a, "%s/sources_%s", fixture_dir(f), locale);
  assert_ok(f->ctx, jo_generate(f->ctx, pendulum, sources, NULL));
  jo_model_destroy(pendulum);
  jo_model_destroy(buggy);
  jo_model_destroy(car);
}

static char* text_of(fixture* f, const char* path) {
  char* text;
  size_t size;
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, path, (size_t)1 << 26, &text, &size));
  assert_true(size > 100);
  return text;
}

static void test_locale_of_the_host_does_not_show_in_files(void** state) {
  static const char* const file[] = {"run.csv",     "sens.csv",  "curve.svg",   "sweep.csv",
                                     "report.html", "loads.csv", "loads.events"};
  static const char* const source[] = {"equations/kernel.h", "equations/kernel_0.c",
                                       "equations/tables.c", "main.c",
                                       "Makefile",           "README.md"};
  fixture* f = *state;
  write_files(f, "C");
  if (!comma_locale_choose()) skip();
  write_files(f, "de");
  comma_locale_leave();
  for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
    assert_string_equal(text_of(f, below(f, "C", file[i])), text_of(f, below(f, "de", file[i])));
  }
  for (size_t i = 0; i < sizeof source / sizeof *source; i++) {
    assert_string_equal(
        text_of(f, jarena_printf(&f->a, "%s/sources_C/%s", fixture_dir(f), source[i])),
        text_of(f, jarena_printf(&f->a, "%s/sources_de/%s", fixture_dir(f), source[i])));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_locale_of_the_host_does_not_show_in_files),
  };
  return cmocka_run_group_tests_name("api.locale", tests, NULL, NULL);
}
