// SPDX-License-Identifier: Apache-2.0
// Sensitivities as users see them: names, methods, contributions of events, histories, checks.
#include "jounce/sens.h"

#include "support/fixture.h"

#define BOUNCE "test/models/sens_bounce.yaml"
#define CART   "test/models/sens_cart.yaml"

typedef struct subject {
  fixture* base;  // holds context and model
  jo_context* ctx;
  jo_model* model;
  jo_system* system;
  jo_sens_result* result;
} subject;

static subject open_model(const char* path) {
  subject f = {.base = fixture_open()};
  fixture_model(f.base, path, NULL, 0);
  f.ctx = f.base->ctx;
  f.model = f.base->model;
  return f;
}

static void drop(subject* f) {
  jo_sens_result_destroy(f->result);
  jo_system_destroy(f->system);
  f->result = NULL;
  f->system = NULL;
}

static void close_model(subject* f) {
  drop(f);
  fixture_close(f->base);
}

// Small models: the interpreter is faster than a compiler.
static jo_status prepare(subject* f, jo_system_options opt) {
  opt.interpreter = 1;
  return jo_system_create(f->ctx, f->model, &opt, &f->system);
}

// By all parameters, with contributions.
static void prepare_all(subject* f) {
  assert_ok(f->ctx, prepare(f, (jo_system_options){.use = JO_USE_CONTRIBUTIONS}));
}

static void run(subject* f, const jo_sens_options* opt) {
  assert_ok(f->ctx, jo_sens_run(f->ctx, f->system, opt, &f->result));
}

// ---- names ---------------------------------------------------------------------------------------

static int count(subject* f, const char* a, const char* b) {
  const char* const name[] = {a, b};
  jo_system_options opt = {.use = JO_USE_DERIVATIVES, .method = JO_SENS_ADJOINT};
  opt.wrt = name;
  opt.nwrt = a ? b ? 2 : 1 : 0;
  assert_ok(f->ctx, prepare(f, opt));
  int n = jo_sens_parameter_count(f->system);
  drop(f);
  return n;
}

static void test_sens_names_choose_numbers(void** state) {
  (void)state;
  subject f = open_model(CART);
  assert_int_equal(count(&f, NULL, NULL), 8);
  assert_int_equal(count(&f, "parameters", NULL), 8);
  assert_int_equal(count(&f, "t0", "t0"), 1);
  assert_int_equal(count(&f, "t0", "parameters"), 8);
  int bob = count(&f, "bodies.bob.*", NULL);
  assert_true(bob >= 2);
  assert_int_equal(count(&f, "bodies.bob.*", "m"), bob + 1);
  assert_true(count(&f, "all", NULL) >= bob + 8);
  close_model(&f);
}

static void test_sens_unknown_names_are_refused_with_a_hint(void** state) {
  (void)state;
  subject f = open_model(CART);
  const char* const wrong[] = {"strat", "joints.nothing.*"};
  for (int i = 0; i < 2; i++) {
    jo_system_options opt = {.wrt = &wrong[i], .nwrt = 1};
    assert_int_equal(prepare(&f, opt), JO_ERR_ARGUMENT);
    assert_null(f.system);
    assert_non_null(strstr(jo_context_message(f.ctx), wrong[i]));
    if (i == 0) assert_non_null(strstr(jo_context_message(f.ctx), "'start'"));
    jo_context_clear(f.ctx);
  }
  close_model(&f);
}

// ---- methods and events --------------------------------------------------------------------------

static void test_sens_auto_counts_objectives_and_parameters(void** state) {
  (void)state;
  subject f = open_model(BOUNCE);
  // four objectives, one group of eight parameters; then as many groups as objectives and more
  prepare_all(&f);
  run(&f, NULL);
  assert_int_equal(jo_sens_result_statistics(f.result).method, JO_SENS_DIRECT);
  drop(&f);
  const char* const many[] = {"all"};
  assert_ok(f.ctx, prepare(&f, (jo_system_options){.wrt = many, .nwrt = 1}));
  int groups = (jo_sens_parameter_count(f.system) + 7) / 8;
  run(&f, NULL);
  assert_int_equal(jo_sens_result_statistics(f.result).method,
                   4 < groups ? JO_SENS_ADJOINT : JO_SENS_DIRECT);
  close_model(&f);
}

static void test_sens_methods_that_are_not_prepared_are_refused(void** state) {
  (void)state;
  static const char* const told[] = {NULL, "the direct method", "the adjoint method"};
  subject f = open_model(BOUNCE);
  for (int method = JO_SENS_DIRECT; method <= JO_SENS_ADJOINT; method++) {
    int other = JO_SENS_DIRECT + JO_SENS_ADJOINT - method;
    jo_system_options only = {.use = JO_USE_DERIVATIVES, .method = (jo_sens_method)other};
    jo_sens_options opt = jo_sens_options_default();
    opt.method = (jo_sens_method)method;
    assert_ok(f.ctx, prepare(&f, only));
    assert_refused(f.ctx, jo_sens_run(f.ctx, f.system, &opt, &f.result), JO_ERR_ARGUMENT,
                   "the system was not prepared for derivatives by", told[method]);
    assert_null(f.result);
    jo_context_clear(f.ctx);
    drop(&f);
  }
  close_model(&f);
}

static void test_sens_options_that_are_not_valid_are_refused(void** state) {
  (void)state;
  subject f = open_model(BOUNCE);
  prepare_all(&f);
  jo_sens_options opt = jo_sens_options_default();
  opt.tolerance = 0.0;
  assert_refused(f.ctx, jo_sens_run(f.ctx, f.system, &opt, &f.result), JO_ERR_ARGUMENT,
                 "tolerance");
  jo_context_clear(f.ctx);
  static const jo_method wrong[] = {JO_METHOD_BDF, (jo_method)99};
  const char* const why[] = {"method bdf: derivatives need", "no method '99'"};
  for (int i = 0; i < 2; i++) {
    opt = jo_sens_options_default();
    opt.integrator = wrong[i];
    assert_refused(f.ctx, jo_sens_run(f.ctx, f.system, &opt, &f.result), JO_ERR_ARGUMENT, why[i]);
    assert_null(f.result);
    jo_context_clear(f.ctx);
  }
  close_model(&f);
}

// Contributions of all events are what exact derivatives have and frozen ones have not, with events in
// a row (bounce) and with impulses (cart).
static void test_sens_contributions_add_up(void** state) {
  (void)state;
  const char* const path[] = {BOUNCE, CART};
  for (int m = 0; m < 2; m++) {
    subject f = open_model(path[m]);
    prepare_all(&f);
    run(&f, NULL);
    assert_true(jo_sens_event_count(f.result) > 0);
    double largest = 0.0;
    jo_quantity q;
    for (int o = 0; jo_sens_objective_at(f.result, o, &q) >= 0; o++) {
      for (int k = 0; k < jo_sens_parameter_count(f.system); k++) {
        double exact = jo_sens_derivative(f.result, o, k), sum = 0.0;
        for (int e = 0; e < jo_sens_event_count(f.result); e++) {
          sum += jo_sens_event_contribution(f.result, e, o, k);
        }
        double frozen = jo_sens_derivative_frozen(f.result, o, k);
        assert_near(frozen + sum, exact, 1e-9 * (1.0 + fabs(exact)));
        largest = fmax(largest, fabs(sum));
      }
    }
    assert_true(largest > 1e-2);
    close_model(&f);
  }
}

// The bounce begins where free fall has come to the height h:
//   z0 + v0 t - g t^2/2 = h     dt/dz0 = -1/(v0 - g t)     dt/dh = -dt/dz0     dt/dk = 0
static void test_sens_event_times_move_as_free_fall_says(void** state) {
  (void)state;
  subject f = open_model(BOUNCE);
  prepare_all(&f);
  run(&f, NULL);
  jo_sens_event e;
  assert_ok(f.ctx, jo_sens_event_at(f.result, 0, &e));
  double t = (-0.5 + sqrt(0.25 + 2.0 * 9.81 * 0.5)) / 9.81, speed = -0.5 - 9.81 * t;
  assert_near(e.t, t, 1e-10);
  assert_near(fabs(e.rate), -speed, 1e-8);
  assert_near(jo_sens_event_shift(f.result, 0, jo_sens_parameter_find(f.system, "z0")),
              -1.0 / speed, 1e-9);
  assert_near(jo_sens_event_shift(f.result, 0, jo_sens_parameter_find(f.system, "h")), 1.0 / speed,
              1e-9);
  assert_near(jo_sens_event_shift(f.result, 0, jo_sens_parameter_find(f.system, "v0")), -t / speed,
              1e-9);
  assert_near(jo_sens_event_shift(f.result, 0, jo_sens_parameter_find(f.system, "k")), 0.0, 1e-12);
  close_model(&f);
}

static void test_sens_frozen_events_stay(void** state) {
  (void)state;
  subject f = open_model(BOUNCE);
  prepare_all(&f);
  jo_sens_options opt = jo_sens_options_default();
  opt.frozen = 1;
  run(&f, &opt);
  assert_true(jo_sens_event_count(f.result) >= 2);
  for (int e = 0; e < jo_sens_event_count(f.result); e++) {
    for (int k = 0; k < jo_sens_parameter_count(f.system); k++) {
      assert_near(jo_sens_event_shift(f.result, e, k), 0.0, 0.0);
    }
  }
  close_model(&f);
}

// ---- ranking -------------------------------------------------------------------------------------

static void test_sens_rank_gives_changes_per_increment(void** state) {
  (void)state;
  subject f = open_model(BOUNCE);
  prepare_all(&f);
  run(&f, NULL);
  double increment[7];
  jo_sens_row row[7];
  assert_int_equal(jo_sens_parameter_count(f.system), 7);
  for (int i = 0; i < 7; i++) {
    increment[i] = i == 2 ? 0.1 : NAN;
  }
  assert_ok(f.ctx, jo_sens_rank(f.ctx, f.result, 1, increment, 1e-4, row));
  for (int i = 0; i < 7; i++) {
    int k = row[i].parameter;
    assert_near(row[i].derivative, jo_sens_derivative(f.result, 1, k), 0.0);
    assert_true((k == 2) == isfinite(row[i].change));
    if (k == 2) assert_near(row[i].change, 0.1 * row[i].derivative, 0.0);
    if (i > 0) assert_true(fabs(row[i].percent) <= fabs(row[i - 1].percent));
  }
  close_model(&f);
}

// ---- histories -----------------------------------------------------------------------------------

typedef struct table {
  int nrow, ncolumn;
  double cell[4000];
} table;

static table read_csv(const char* path) {
  table t = {0};
  char line[4096];
  FILE* f = fopen(path, "r");
  assert_non_null(f);
  int n = 0;
  while (fgets(line, sizeof line, f)) {
    if (line[0] == '#' || n++ < 2) continue;
    int columns = 0;
    for (char* word = strtok(line, ",\n"); word; word = strtok(NULL, ",\n")) {
      assert_true(t.nrow * t.ncolumn + columns < 4000);
      t.cell[t.nrow * t.ncolumn + columns++] = strtod(word, NULL);
    }
    if (t.nrow == 0) t.ncolumn = columns;
    assert_int_equal(columns, t.ncolumn);
    t.nrow++;
  }
  fclose(f);
  return t;
}

// Arrays of a history are what its file holds.
static void check_history_arrays(const jo_sens_result* r, const table* t) {
  const double* row = jo_sens_history_rows(r);
  assert_int_equal(jo_sens_history_column_count(r), t->ncolumn);
  for (int i = 0; i < t->nrow * t->ncolumn; i++) {
    assert_near(row[i], t->cell[i], 0.0);
  }
  jo_quantity q;
  assert_int_equal(jo_sens_history_column_at(r, 0, &q), JO_OK);
  assert_string_equal(q.name, "t");
  assert_int_equal(jo_sens_history_column_at(r, 3, &q), JO_OK);
  assert_string_equal(q.name, "d z / d v0");
  assert_int_equal(jo_sens_history_column_at(r, t->ncolumn, &q), JO_ERR_ARGUMENT);
}

// Free fall before the bounce: dz/dz0 = 1, dz/dv0 = t, dz/dg = -t^2/2; its end is the derivative of the
// objective that is z at the end.
static void test_sens_history_is_the_derivative_at_every_time(void** state) {
  (void)state;
  const char* const path = "build_test_history.csv";
  const char* const name[] = {"z0", "v0", "g"};
  const char* const output[] = {"z"};
  subject f = open_model(BOUNCE);
  assert_ok(f.ctx,
            prepare(&f, (jo_system_options){.use = JO_USE_HISTORIES, .wrt = name, .nwrt = 3}));
  for (int grid = 0; grid < 2; grid++) {
    jo_sens_options opt = jo_sens_options_default();
    opt.tolerance = 1e-8;
    opt.history = output;
    opt.nhistory = 1;
    opt.history_step_s = grid ? 0.05 : 0.0;
    run(&f, &opt);
    assert_ok(f.ctx, jo_sens_history_save(f.ctx, f.result, path));
    table t = read_csv(path);
    assert_int_equal(t.nrow, jo_sens_history_row_count(f.result));
    assert_int_equal(t.ncolumn, 5);
    check_history_arrays(f.result, &t);
    if (grid) assert_int_equal(t.nrow, 15);
    for (int i = 0; i < t.nrow; i++) {
      const double* c = t.cell + i * t.ncolumn;
      if (c[0] > 0.26) continue;
      assert_near(c[1], 0.6 - 0.5 * c[0] - 0.5 * 9.81 * c[0] * c[0], 1e-7);
      assert_near(c[2], 1.0, 1e-7);
      assert_near(c[3], c[0], 1e-7);
      assert_near(c[4], -0.5 * c[0] * c[0], 1e-7);
    }
    const double* last = t.cell + (t.nrow - 1) * t.ncolumn;
    assert_near(last[0], 0.7, 0.0);
    for (int k = 0; k < 3; k++) {
      assert_near(last[2 + k], jo_sens_derivative(f.result, 0, k), 1e-12);
    }
    jo_sens_result_destroy(f.result);
    f.result = NULL;
  }
  remove(path);
  const char* const nothing[] = {"nothing"};
  jo_sens_options opt = jo_sens_options_default();
  opt.history = nothing;
  opt.nhistory = 1;
  assert_int_equal(jo_sens_run(f.ctx, f.system, &opt, &f.result), JO_ERR_ARGUMENT);
  close_model(&f);
}

// ---- progress ------------------------------------------------------------------------------------

typedef struct listener {
  int calls, stop_at;
} listener;

static int listen(void* user, double fraction) {
  listener* l = user;
  assert_true(fraction >= 0.0 && fraction <= 1.0);
  return ++l->calls != l->stop_at;
}

// Wherever it is stopped, in the first simulation, in the last walk: nothing comes out, nothing is lost.
static void test_sens_stops_where_progress_says(void** state) {
  (void)state;
  subject f = open_model(CART);
  prepare_all(&f);
  for (int method = JO_SENS_DIRECT; method <= JO_SENS_ADJOINT; method++) {
    listener l = {0};
    jo_sens_options opt = jo_sens_options_default();
    opt.method = (jo_sens_method)method;
    opt.tolerance = 1e-5;  // so coarse that runs are repeated
    opt.derivative_tol = 1e-7;
    opt.progress = listen;
    opt.user = &l;
    run(&f, &opt);
    assert_true(jo_sens_result_statistics(f.result).passes > 1);
    double whole = jo_sens_derivative(f.result, 0, 0);
    int calls = l.calls;
    jo_sens_result_destroy(f.result);
    const int at[] = {1, calls / 4, calls / 2, calls - 1, calls};
    for (int i = 0; i < 5; i++) {
      l = (listener){.stop_at = at[i]};
      assert_int_equal(jo_sens_run(f.ctx, f.system, &opt, &f.result), JO_ERR_LIMIT);
      assert_null(f.result);
      assert_non_null(strstr(jo_context_message(f.ctx), "stopped at t = "));
      jo_context_clear(f.ctx);
    }
    opt.progress = NULL;
    run(&f, &opt);
    assert_near(jo_sens_derivative(f.result, 0, 0), whole, 0.0);
    jo_sens_result_destroy(f.result);
    f.result = NULL;
  }
  close_model(&f);
}

// ---- checks --------------------------------------------------------------------------------------

// Parameters and a number that is none (the centre of mass): all three ways agree.
static void test_sens_check_finds_all_ways_in_agreement(void** state) {
  (void)state;
  const char* const name[] = {"l", "t0", "V", "bodies.bob.com.x"};
  subject f = open_model(CART);
  assert_ok(f.ctx, prepare(&f, (jo_system_options){.use = JO_USE_CHECKS, .wrt = name, .nwrt = 4}));
  jo_sens_check_row row[12];
  run(&f, NULL);
  assert_ok(f.ctx, jo_sens_check(f.ctx, f.result, NULL, NULL, row));
  for (int i = 0; i < 12; i++) {
    double scale = 1e-3 + fabs(row[i].direct);
    assert_near(row[i].adjoint, row[i].direct, 1e-10 * scale);
    assert_near(row[i].difference, row[i].direct, 1e-7 * scale);
  }
  jo_sens_agreement agreement[12];
  jo_verdict worst;
  assert_ok(f.ctx, jo_sens_judge(f.ctx, f.result, row, agreement, &worst));
  assert_int_equal(worst, JO_AGREES);
  row[5].adjoint *= 1.001;
  assert_ok(f.ctx, jo_sens_judge(f.ctx, f.result, row, agreement, &worst));
  assert_int_equal(worst, JO_DISAGREES);
  assert_int_equal(agreement[5].verdict, JO_DISAGREES);
  assert_int_equal(agreement[4].verdict, JO_AGREES);
  assert_near(agreement[5].methods, 1e-3, 1e-5);
  // frozen: differences say nothing
  jo_sens_options opt = jo_sens_options_default();
  opt.frozen = 1;
  jo_sens_result_destroy(f.result);
  run(&f, &opt);
  assert_ok(f.ctx, jo_sens_check(f.ctx, f.result, NULL, NULL, row));
  assert_near(row[1].adjoint, row[1].direct, 1e-10);
  assert_true(isnan(row[1].difference));
  close_model(&f);
}

static int stop_at_once(void* user, double fraction) {
  (void)fraction;
  ++*(int*)user;
  return 0;
}

static void test_sens_check_can_be_stopped(void** state) {
  (void)state;
  const char* const name[] = {"l", "t0"};
  subject f = open_model(CART);
  assert_ok(f.ctx, prepare(&f, (jo_system_options){.use = JO_USE_CHECKS, .wrt = name, .nwrt = 2}));
  jo_sens_check_row row[6];
  int calls = 0;
  run(&f, NULL);
  assert_int_equal(jo_sens_check(f.ctx, f.result, stop_at_once, &calls, row), JO_ERR_LIMIT);
  assert_int_equal(calls, 1);
  close_model(&f);
}

// Forward differences fall with the increment, central ones with its square, until rounding wins.
static void test_sens_vcurve_is_a_v(void** state) {
  (void)state;
  const char* const name[] = {"start"};
  subject f = open_model(CART);
  assert_ok(f.ctx, prepare(&f, (jo_system_options){.use = JO_USE_CHECKS, .wrt = name, .nwrt = 1}));
  jo_sens_vcurve_point v[12];
  double exact;
  assert_ok(f.ctx, jo_sens_vcurve(f.ctx, f.system, NULL, 1, 0, 12, v, &exact));
  assert_near(v[0].relative, 0.1, 1e-15);
  assert_near(v[11].relative, 1e-12, 1e-26);
  assert_near(log10(v[1].forward_error / v[2].forward_error), 1.0, 0.1);
  assert_near(log10(v[1].central_error / v[2].central_error), 2.0, 0.1);
  assert_true(v[11].forward_error > 1e3 * v[6].forward_error);
  assert_near(v[4].central, exact, 1e-7 * fabs(exact));
  close_model(&f);
}

// ---- memory --------------------------------------------------------------------------------------

static jo_status all_of_it(const jo_allocator* memory) {
  static const char text[] =
      "jounce: 1\nname: fall\ngravity: [0, 0, -9.81]\nparameters: {m: 1, h: 0.5}\n"
      "bodies: {ball: {mass: m}}\njoints: {z: {type: prismatic, child: ball, axis: z}}\n"
      "forces: {bed: {on: z, torque: \"if(z < -h, 900*m*(-h - z), 0)\"}}\n"
      "objectives: {end: {final: z}}\nsimulation: {end: 0.4, method: rk4, step: 0.1}\n";
  jo_context* ctx = NULL;
  jo_model* model = NULL;
  jo_system* system = NULL;
  jo_sens_result* result = NULL;
  jo_system_options opt = {.use = JO_USE_CONTRIBUTIONS, .interpreter = 1};
  jo_status status = jo_context_create(memory, &ctx);
  if (status >= 0) {
    status = jo_model_parse(ctx, text, strlen(text), "fall.yaml", NULL, 0, &model);
  }
  if (status >= 0) status = jo_system_create(ctx, model, &opt, &system);
  if (status >= 0) status = jo_sens_run(ctx, system, NULL, &result);
  jo_sens_row row[2];
  if (status >= 0) status = jo_sens_rank(ctx, result, 0, NULL, 1e-4, row);
  jo_sens_result_destroy(result);
  jo_system_destroy(system);
  jo_model_destroy(model);
  jo_context_destroy(ctx);
  return status;
}

// Every hundredth place and the last ones: there are thousands.
static void test_sens_no_memory_is_reported_and_nothing_leaks(void** state) {
  (void)state;
  failing_alloc whole;
  failing_alloc_init(&whole, -1);
  assert_int_equal(all_of_it(&whole.allocator), JO_OK);
  for (long n = 0; n < whole.calls; n += n < whole.calls - 200 ? 1 + whole.calls / 300 : 1) {
    failing_alloc part;
    failing_alloc_init(&part, n);
    assert_int_equal(all_of_it(&part.allocator), JO_ERR_MEMORY);
    assert_int_equal(part.live_bytes, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sens_names_choose_numbers),
      cmocka_unit_test(test_sens_unknown_names_are_refused_with_a_hint),
      cmocka_unit_test(test_sens_auto_counts_objectives_and_parameters),
      cmocka_unit_test(test_sens_methods_that_are_not_prepared_are_refused),
      cmocka_unit_test(test_sens_options_that_are_not_valid_are_refused),
      cmocka_unit_test(test_sens_contributions_add_up),
      cmocka_unit_test(test_sens_event_times_move_as_free_fall_says),
      cmocka_unit_test(test_sens_frozen_events_stay),
      cmocka_unit_test(test_sens_rank_gives_changes_per_increment),
      cmocka_unit_test(test_sens_history_is_the_derivative_at_every_time),
      cmocka_unit_test(test_sens_stops_where_progress_says),
      cmocka_unit_test(test_sens_check_finds_all_ways_in_agreement),
      cmocka_unit_test(test_sens_check_can_be_stopped),
      cmocka_unit_test(test_sens_vcurve_is_a_v),
      cmocka_unit_test(test_sens_no_memory_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
