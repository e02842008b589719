// SPDX-License-Identifier: Apache-2.0
// Every public function with every pointer argument NULL in turn, and every index beyond its list: a defined
// answer, never a crash. The calls are written from the headers by null_calls.py.
#include <limits.h>
#include <unistd.h>

#include "api/objects.h"

#define TYRE  "test/data/tyres/Sedan_Pac02Tire.tir"
#define ROBOT "test/data/import/arm.urdf"

typedef struct subject {
  const char* now;  // the call under way, for a message
  fixture* base;
  const char *events_path, *page, *study_path;
  const char *model_path, *text, *word;
  size_t length;
  const char* names[1];
  jo_setting setting;
  jo_severity severity;
  double number[64];
  jo_range range;
  jo_sweep_options sweep_options;
  jo_batch_options batch_options;
  jo_fmu_options fmu_options;
  jo_loads_plot plot;
  const jo_loads_result* plotted[1];
  jo_context* ctx;
  jo_model* model;
  jo_system* system;
  jo_result* result;
  jo_run* run;
  jo_static* at_rest;
  jo_modes* modes;
  jo_loads_result* loads_result;
  jo_load_events* load_events;
  jo_loads_sens* loads_sens;
  jo_sens_result* sens_result;
  jo_sweep* sweep;
  jo_batch* batch;
  jo_model* axle_model;
  jo_kinematics* kinematics;
  const char *tyre_path, *cases_path;
  jo_setting tyre_setting;
  jo_imported* imported;
  jo_listing* listing;
  const char* import_path;
  jo_tyre* tyre;
  jo_tyre_function* tyre_function;
  jo_tyre_table* tyre_table;
  jo_study* study;
} subject;

static void ignore_text(void* user, const char* text, size_t n) {
  (void)user, (void)text, (void)n;
}

static void check_status(const subject* f, jo_status got, bool may_be_null, const char* told) {
  bool is_right = may_be_null ? got >= 0 : got == JO_ERR_ARGUMENT;
  const char* message = jo_context_message(f->ctx);
  if (is_right && (!told || strncmp(message, told, strlen(told)) == 0)) return;
  fail_msg("%s: %s: %s", f->now, jo_status_text(got), message);
}

static void check_text(const char* text) {
  assert_true(!text || !*text);
}

static void check_zero(const void* data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    assert_int_equal(((const char*)data)[i], 0);
  }
}

#include "null_calls.inc"

// ---- objects of every kind -----------------------------------------------------------------------

static void make_runs(subject* f) {
  const unsigned all = JO_USE_RUNS | JO_USE_CONTRIBUTIONS | JO_USE_CHECKS | JO_USE_HISTORIES;
  const jo_system_options everything = {
      .use = all | JO_USE_LOADS, .wrt = f->names, .nwrt = 1, .interpreter = 1};
  fixture_model(f->base, QUARTER_CAR, NULL, 0);
  f->model = f->base->model;
  f->system = fixture_prepare(f->base, everything);
  f->result = make_result(f->base, NULL);
  f->run = make_run(f->base);
  f->at_rest = make_static(f->base, f->names, 1);
  f->modes = make_modes(f->base, NULL);
  f->loads_result = make_loads_result(f->base, f->system, NULL);
  assert_ok(f->ctx, jo_loads_save(f->ctx, f->loads_result, f->events_path));
  f->load_events = make_load_events(f->base, f->events_path);
  f->loads_sens = make_loads_sens(f->base, f->system, NULL);
}

static void make_derivatives(subject* f) {
  f->sens_result = make_sens_result(f->base, f->system);
  f->sweep = make_sweep(f->base, f->system, f->sweep_options);
  f->batch = make_batch(f->base, f->system, f->batch_options);
  f->study = make_study(f->base, f->study_path);
  assert_ok(f->ctx, jo_model_load(f->ctx, WISHBONE, NULL, 0, &f->axle_model));
  f->kinematics = make_kinematics(f->base, f->axle_model);
}

static void make_tyre(subject* f) {
  static const char cases[] = "Fz,alpha\n4000,0.1\n";
  jo_context* c = f->ctx;
  f->tyre_path = TYRE;
  f->tyre_setting = (jo_setting){"LMUY", "0.9"};
  f->cases_path = fixture_below(f->base, "cases.csv");
  assert_ok(c, jo_output_write(c, f->cases_path, cases, strlen(cases)));
  f->import_path = ROBOT;
  assert_ok(c, jo_import(c, ROBOT, &f->imported));
  assert_ok(c, jo_export_assembly(c, f->model, &f->listing));
  assert_ok(c, jo_tyre_load(c, TYRE, NULL, 0, &f->tyre));
  assert_ok(c, jo_tyre_function_create(c, f->tyre, NULL, &f->tyre_function));
  assert_ok(c, jo_tyre_table_create(c, f->tyre, NULL, f->cases_path, &f->tyre_table));
}

static int set_up(void** state) {
  subject* f = calloc(1, sizeof *f);
  *state = f;
  f->base = fixture_open();
  f->ctx = f->base->ctx;
  f->events_path = fixture_below(f->base, "x.events");
  f->page = fixture_below(f->base, "x.html");
  f->fmu_options = jo_fmu_options_default();
  f->fmu_options.sources_only = 1;
  f->model_path = QUARTER_CAR;
  f->study_path = "test/study/quarter_car.yaml";
  f->text = "jounce: 1";
  f->length = strlen(f->text);
  f->names[0] = "k";
  f->setting = (jo_setting){"k", "16000"};
  f->range = (jo_range){.name = "k", .from = 15000.0, .to = 15000.0, .n = 1};
  f->sweep_options = jo_sweep_options_default();
  f->sweep_options.range = &f->range;
  f->sweep_options.nrange = 1;
  f->batch_options = jo_batch_options_default();
  make_runs(f);
  make_derivatives(f);
  make_tyre(f);
  f->plotted[0] = f->loads_result;
  f->plot = (jo_loads_plot){.title = "", .element = "spring", .result = f->plotted};
  f->plot.label = f->names;
  f->plot.nresult = 1;
  return 0;
}

static int tear_down(void** state) {
  subject* f = *state;
  jo_kinematics_destroy(f->kinematics);
  jo_model_destroy(f->axle_model);
  jo_imported_destroy(f->imported);
  jo_listing_destroy(f->listing);
  jo_tyre_table_destroy(f->tyre_table);
  jo_tyre_function_destroy(f->tyre_function);
  jo_tyre_destroy(f->tyre);
  jo_study_destroy(f->study);
  jo_sweep_destroy(f->sweep);
  jo_batch_destroy(f->batch);
  jo_sens_result_destroy(f->sens_result);
  jo_loads_sens_destroy(f->loads_sens);
  jo_load_events_destroy(f->load_events);
  jo_loads_result_destroy(f->loads_result);
  jo_modes_destroy(f->modes);
  jo_static_destroy(f->at_rest);
  jo_run_destroy(f->run);
  jo_result_destroy(f->result);
  fixture_close(f->base);
  free(f);
  return 0;
}

// ---- tests ---------------------------------------------------------------------------------------

static void test_null_every_pointer_of_every_function(void** state) {
  call_all(*state);
  // the headers were found and read
  assert_true(NFUNCTION > 140 && NCALL > 240);
}

static void expect_refusal(subject* f, jo_status got, const char* told) {
  const char* message = jo_context_message(f->ctx);
  if (got != JO_ERR_ARGUMENT || !strstr(message, told)) {
    fail_msg("%s: '%s' instead of '%s'", jo_status_text(got), message, told);
  }
  jo_context_clear(f->ctx);
}

static void test_null_lists_with_holes(void** state) {
  subject* f = *state;
  jo_context* c = f->ctx;
  jo_context_clear(c);  // of what was told before
  const char* const hole[] = {"k", NULL};
  jo_static* s;
  jo_model* m;
  jo_system* d;
  jo_sens_result* r;
  jo_sweep* w;
  jo_batch* b;
  jo_modes* o;
  expect_refusal(f, jo_static_differentiate(c, f->model, hole, 2, &s), "text 2 of 'name' is NULL");
  expect_refusal(f, jo_static_differentiate(c, f->model, hole, -1, &s), "of -1 items");
  expect_refusal(f, jo_model_load(c, QUARTER_CAR, NULL, -1, &m), "of -1 items");
  jo_system_options by = {.wrt = hole, .nwrt = 2}, at = {.variable = hole, .nvariable = 2};
  expect_refusal(f, jo_system_create(c, f->model, &by, &d), "text 2 of 'opt->wrt' is NULL");
  expect_refusal(f, jo_system_create(c, f->model, &at, &d), "text 2 of 'opt->variable' is NULL");
  expect_refusal(f, jo_system_set(c, f->system, hole, f->number, 2), "text 2 of 'name' is NULL");
  jo_sens_options opt = jo_sens_options_default();
  opt.history = hole;
  opt.nhistory = 2;
  expect_refusal(f, jo_sens_run(c, f->system, &opt, &r), "is NULL");
  jo_modes_options modes = jo_modes_options_default();
  modes.name = hole;
  modes.nname = 2;
  expect_refusal(f, jo_modes_create(c, f->model, &modes, &o), "is NULL");
  jo_sweep_options sweep = f->sweep_options;
  sweep.range = NULL;
  expect_refusal(f, jo_sweep_create(c, f->system, &sweep, &w), "'opt->range' is NULL");
  jo_batch_options batch = f->batch_options;
  batch.nparameter = 1;
  expect_refusal(f, jo_batch_create(c, f->system, &batch, &b), "'opt->parameter' is NULL");
}

static void test_null_parts_of_a_plot(void** state) {
  subject* f = *state;
  const jo_loads_result* const none[] = {NULL};
  jo_loads_plot part[] = {f->plot, f->plot, f->plot, f->plot, f->plot};
  part[0].title = NULL;
  part[1].element = NULL;
  part[2].result = NULL;
  part[3].label = NULL;
  part[4].result = none;
  for (int i = 0; i < 5; i++) {
    expect_refusal(f, jo_loads_plot_save(f->ctx, &part[i], f->page), "is NULL");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_null_every_pointer_of_every_function),
      cmocka_unit_test(test_null_lists_with_holes),
      cmocka_unit_test(test_null_parts_of_a_plot),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
