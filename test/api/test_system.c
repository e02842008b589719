// SPDX-License-Identifier: Apache-2.0
// Systems: one that answers everything says what others say that answer one thing each; values that are set
// are as good as values of the file, to the last bit; what was not prepared is refused.
#include "jounce/jounce.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system/file.h"
#include "support/fixture.h"
#include "support/tables.h"

#define CAR     "test/models/sweep_quarter_car.yaml"
#define RESTING "test/models/sweep_static.yaml"
#define LOOP    "test/models/sens_loop.yaml"
#define BOUNCE  "test/models/sens_bounce.yaml"
#define CART    "test/models/sens_cart.yaml"
#define BUGGY   "models/buggy/step_descent.yaml"

#define EVERYTHING                                                                      \
  (JO_USE_RUNS | JO_USE_DERIVATIVES | JO_USE_HISTORIES | JO_USE_CHECKS | JO_USE_LOADS | \
   JO_USE_CONTRIBUTIONS)

static const char* const by[] = {"k", "c"};

static fixture* open_model(const char* path) {
  fixture* f = fixture_open();
  fixture_model(f, path, NULL, 0);
  return f;
}

// Of these uses, with derivatives by k and c.
static jo_system* prepare(fixture* f, unsigned use) {
  return fixture_prepare(f, (jo_system_options){.use = use, .wrt = by, .nwrt = 2});
}

// The same bits.
static void compare(const double* a, const double* b, int n) {
  assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

// ---- what systems answer -------------------------------------------------------------------------

static void compare_runs(fixture* f, const jo_system* a, fixture* g, const jo_system* b) {
  jo_result *r, *s;
  assert_ok(f->ctx, jo_simulate(f->ctx, a, NULL, &r));
  assert_ok(g->ctx, jo_simulate(g->ctx, b, NULL, &s));
  const jo_table *of_r = history_of(r), *of_s = history_of(s);
  int rows = of_r->nrow, columns = of_r->ncolumn;
  assert_int_equal(rows, of_s->nrow);
  assert_int_equal(columns, of_s->ncolumn);
  assert_true(rows > 10 && columns > 3);
  compare(of_r->column[0].value, of_s->column[0].value, rows * columns);
  assert_int_equal(table_of(jo_result_tables(r), "events")->nrow,
                   table_of(jo_result_tables(s), "events")->nrow);
  jo_result_destroy(r);
  jo_result_destroy(s);
}

static jo_sens_result* differentiate(fixture* f, const jo_system* s, jo_sens_method method) {
  jo_sens_options opt = jo_sens_options_default();
  jo_sens_result* r;
  opt.method = method;
  assert_ok(f->ctx, jo_sens_run(f->ctx, s, &opt, &r));
  return r;
}

static void compare_events(const jo_sens_result* r, const jo_sens_result* s) {
  int n = jo_sens_event_count(r);
  assert_int_equal(n, jo_sens_event_count(s));
  assert_true(n > 0);
  for (int o = 0; o < jo_sens_objective_count(r); o++) {
    for (int k = 0; k < 2; k++) {
      double a = jo_sens_derivative_frozen(r, o, k), b = jo_sens_derivative_frozen(s, o, k);
      assert_true(isfinite(a));
      compare(&a, &b, 1);
      double x[64], y[64];
      assert_true(n <= 64);
      for (int e = 0; e < n; e++) {
        x[e] = jo_sens_event_contribution(r, e, o, k);
        y[e] = jo_sens_event_contribution(s, e, o, k);
        assert_true(isfinite(x[e]));
      }
      compare(x, y, n);
    }
  }
}

static void compare_gradients(const jo_sens_result* r, const jo_sens_result* s) {
  int n = 2 * jo_sens_objective_count(r);
  assert_int_equal(n, 2 * jo_sens_objective_count(s));
  compare(jo_sens_gradient(r), jo_sens_gradient(s), n);
  compare(jo_sens_gradient_error(r), jo_sens_gradient_error(s), n);
  assert_int_equal(jo_sens_result_statistics(r).passes, jo_sens_result_statistics(s).passes);
}

static void compare_derivatives(fixture* f, const jo_system* a, fixture* g, const jo_system* b) {
  for (int method = JO_SENS_AUTO; method <= JO_SENS_ADJOINT; method++) {
    jo_sens_result* r = differentiate(f, a, (jo_sens_method)method);
    jo_sens_result* s = differentiate(g, b, (jo_sens_method)method);
    compare_gradients(r, s);
    compare_events(r, s);
    jo_sens_result_destroy(r);
    jo_sens_result_destroy(s);
  }
}

static jo_loads_result* load(fixture* f, const jo_system* s) {
  jo_loads_result* r;
  assert_ok(f->ctx, jo_loads_run(f->ctx, s, NULL, &r));
  assert_true(table_of(jo_loads_tables(r), "history")->nrow > 100);
  return r;
}

static void compare_loads(fixture* f, const jo_system* a, fixture* g, const jo_system* b) {
  jo_loads_result *r = load(f, a), *s = load(g, b);
  const jo_table *of_r = table_of(jo_loads_tables(r), "history"),
                 *of_s = table_of(jo_loads_tables(s), "history");
  assert_int_equal(of_r->nrow, of_s->nrow);
  assert_int_equal(of_r->ncolumn, of_s->ncolumn);
  compare(of_r->column[0].value, of_s->column[0].value, of_r->nrow * of_r->ncolumn);
  jo_loads_element x, y;
  for (int i = 0; jo_loads_element_at(r, i, &x) >= 0; i++) {
    assert_ok(g->ctx, jo_loads_element_at(s, i, &y));
    compare(&x.peak, &y.peak, 1);
    compare(&x.damage, &y.damage, 1);
  }
  jo_loads_result_destroy(r);
  jo_loads_result_destroy(s);
}

static void compare_load_derivatives(fixture* f, const jo_system* a, fixture* g,
                                     const jo_system* b) {
  jo_loads_sens *r, *s;
  assert_ok(f->ctx, jo_loads_sens_run(f->ctx, a, NULL, &r));
  assert_ok(g->ctx, jo_loads_sens_run(g->ctx, b, NULL, &s));
  jo_loads_gradient x, y;
  assert_int_equal(jo_loads_sens_count(r), jo_loads_sens_count(s));
  for (int i = 0; jo_loads_sens_at(r, i, &x) >= 0; i++) {
    assert_ok(g->ctx, jo_loads_sens_at(s, i, &y));
    compare(&x.peak, &y.peak, 1);
    compare(x.dpeak, y.dpeak, 2);
    compare(x.ddamage, y.ddamage, 2);
  }
  jo_loads_sens_destroy(r);
  jo_loads_sens_destroy(s);
}

static jo_sweep* sweep(fixture* f, const jo_system* s) {
  double c;
  assert_ok(f->ctx, jo_system_get(f->ctx, s, "c", &c));
  const jo_range range = {.name = "c", .from = 0.8 * c, .to = 1.2 * c, .n = 3};
  jo_sweep_options opt = jo_sweep_options_default();
  opt.range = &range;
  opt.nrange = 1;
  jo_sweep* w;
  assert_ok(f->ctx, jo_sweep_create(f->ctx, s, &opt, &w));
  assert_ok(f->ctx, jo_sweep_run(w));
  return w;
}

static void compare_sweeps(fixture* f, const jo_system* a, fixture* g, const jo_system* b) {
  jo_sweep *v = sweep(f, a), *w = sweep(g, b);
  int n = jo_sweep_inspect(v).objectives;
  assert_int_equal(jo_sweep_inspect(v).done, 3);
  assert_int_equal(jo_sweep_inspect(v).failed, 0);
  jo_sweep_point x, y;
  for (int i = 0; jo_sweep_point_at(v, i, &x) >= 0; i++) {
    assert_ok(g->ctx, jo_sweep_point_at(w, i, &y));
    compare(x.value, y.value, n);
    compare(x.gradient, y.gradient, 2 * n);
  }
  jo_sweep_destroy(v);
  jo_sweep_destroy(w);
}

static const char* text_of(fixture* f, const char* path, size_t* size) {
  char* text;
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, path, (size_t)1 << 26, &text, size));
  assert_true(*size > 100);
  return text;
}

static void compare_files(fixture* f, const char* a, fixture* g, const char* b) {
  size_t n, m;
  const char *x = text_of(f, a, &n), *y = text_of(g, b, &m);
  assert_string_equal(x, y);
  assert_int_equal(n, m);
}

static void compare_reports(fixture* f, const jo_system* a, fixture* g, const jo_system* b) {
  const char *x = fixture_below(f, "a.html"), *y = fixture_below(g, "b.html");
  assert_ok(f->ctx, jo_report_write(f->ctx, a, NULL, x, NULL));
  assert_ok(g->ctx, jo_report_write(g->ctx, b, NULL, y, NULL));
  compare_files(f, x, g, y);
}

// ---- one system for everything -------------------------------------------------------------------

static void compare_histories(fixture* f, const jo_system* a, const jo_system* b) {
  static const char* const output[] = {"hop", "heave"};
  const char* const path[] = {fixture_below(f, "a.csv"), fixture_below(f, "b.csv")};
  jo_sens_options opt = jo_sens_options_default();
  opt.history = output;
  opt.nhistory = 2;
  for (int i = 0; i < 2; i++) {
    jo_sens_result* r;
    assert_ok(f->ctx, jo_sens_run(f->ctx, i ? b : a, &opt, &r));
    assert_true(jo_sens_history_row_count(r) > 10);
    assert_ok(f->ctx, jo_sens_history_save(f->ctx, r, path[i]));
    jo_sens_result_destroy(r);
  }
  compare_files(f, path[0], f, path[1]);
}

static void compare_checks(fixture* f, const jo_system* a, const jo_system* b) {
  jo_sens_result *r = differentiate(f, a, JO_SENS_AUTO), *s = differentiate(f, b, JO_SENS_AUTO);
  jo_sens_check_row x[4], y[4];
  assert_ok(f->ctx, jo_sens_check(f->ctx, r, NULL, NULL, x));
  assert_ok(f->ctx, jo_sens_check(f->ctx, s, NULL, NULL, y));
  assert_memory_equal(x, y, sizeof x);
  jo_sens_result_destroy(r);
  jo_sens_result_destroy(s);
}

static void test_system_for_everything_is_all_of_its_parts(void** state) {
  (void)state;
  static const char* const model[] = {CAR, RESTING};
  for (int i = 0; i < 2; i++) {
    fixture* f = open_model(model[i]);
    const jo_system* all = prepare(f, EVERYTHING);
    const jo_system* derivatives = prepare(f, JO_USE_CONTRIBUTIONS);
    compare_runs(f, all, f, prepare(f, JO_USE_RUNS));
    compare_runs(f, all, f, derivatives);
    compare_derivatives(f, all, f, derivatives);
    compare_histories(f, all, prepare(f, JO_USE_HISTORIES));
    compare_load_derivatives(f, all, f, prepare(f, JO_USE_HISTORIES));
    compare_checks(f, all, prepare(f, JO_USE_CHECKS));
    compare_loads(f, all, f, prepare(f, JO_USE_LOADS));
    compare_sweeps(f, all, f, derivatives);
    compare_reports(f, all, f, prepare(f, JO_USE_RUNS | JO_USE_CONTRIBUTIONS));
    fixture_close(f);
  }
}

// Derivatives alone are the same numbers, without what events add.
static void test_system_without_contributions_has_none(void** state) {
  (void)state;
  fixture* f = open_model(CAR);
  jo_sens_result* r = differentiate(f, prepare(f, JO_USE_CONTRIBUTIONS), JO_SENS_AUTO);
  jo_sens_result* s = differentiate(f, prepare(f, JO_USE_DERIVATIVES), JO_SENS_AUTO);
  compare_gradients(r, s);
  assert_true(jo_sens_event_count(s) > 0);
  assert_true(isnan(jo_sens_derivative_frozen(s, 0, 0)));
  assert_true(isnan(jo_sens_event_contribution(s, 0, 0, 0)));
  jo_sens_result_destroy(r);
  jo_sens_result_destroy(s);
  fixture_close(f);
}

// ---- values that are set -------------------------------------------------------------------------

// A system with a value set against one whose model was loaded with it. Any tolerance will do: bits are compared.
static void compare_set(const char* model, const char* name, const char* text) {
  const jo_setting set[] = {{"simulation.tolerance", "1e-6"}, {name, text}};
  double value = strtod(text, NULL);
  fixture *f = fixture_open(), *g = fixture_open();
  fixture_model(f, model, set, 1);
  fixture_model(g, model, set, 2);
  jo_system* a = prepare(f, EVERYTHING);
  const jo_system* b = prepare(g, EVERYTHING);
  assert_ok(f->ctx, jo_system_set(f->ctx, a, &name, &value, 1));
  compare_runs(f, a, g, b);
  compare_derivatives(f, a, g, b);
  compare_loads(f, a, g, b);
  compare_load_derivatives(f, a, g, b);
  compare_sweeps(f, a, g, b);
  compare_reports(f, a, g, b);
  fixture_close(f);
  fixture_close(g);
}

static void test_system_set_values_are_those_of_a_model(void** state) {
  (void)state;
  compare_set(CAR, "k", "20500");
  compare_set(LOOP, "k", "450");
  compare_set(LOOP, "stretch", "0.37");
}

static void test_system_set_values_find_their_own_rest(void** state) {
  (void)state;
  compare_set(RESTING, "k", "20500");
}

// At rest the spring carries the body and the tyre all of it, whatever the stiffness: the samples
// before the step say so, where the start is that of the stiffness that was set.
static void test_system_loads_begin_at_rest_of_set_values(void** state) {
  (void)state;
  fixture* f = open_model(RESTING);
  jo_system* s = prepare(f, JO_USE_LOADS);
  for (double k = 8000.0; k < 40000.0; k *= 2.0) {
    assert_ok(f->ctx, jo_system_set(f->ctx, s, by, &k, 1));
    jo_loads_result* r = load(f, s);
    const jo_table* history = table_of(jo_loads_tables(r), "history");
    int width = history->ncolumn;
    const double* sample = history->column[0].value;
    for (; sample[0] < 0.19; sample += width) {
      assert_near(fabs(sample[1]), 9.81 * 250.0, 1e-6);
      assert_near(fabs(sample[2]), 9.81 * 290.0, 1e-6);
    }
    jo_loads_result_destroy(r);
  }
  fixture_close(f);
}

// What was computed stays what it was: its checks, and the files written of it.
static void test_system_results_keep_their_values(void** state) {
  (void)state;
  const double then = 20500.0, now = 9000.0;
  fixture* f = open_model(CAR);
  jo_system* s = prepare(f, EVERYTHING);
  const char* const path[] = {fixture_below(f, "a.csv"),    fixture_below(f, "b.csv"),
                              fixture_below(f, "a.events"), fixture_below(f, "b.events"),
                              fixture_below(f, "c.csv"),    fixture_below(f, "d.csv")};
  jo_sens_check_row row[2][4];
  assert_ok(f->ctx, jo_system_set(f->ctx, s, by, &then, 1));
  jo_sens_result* r = differentiate(f, s, JO_SENS_AUTO);
  jo_loads_result* l = load(f, s);
  for (int i = 0; i < 2; i++) {
    assert_ok(f->ctx, jo_sens_check(f->ctx, r, NULL, NULL, row[i]));
    assert_ok(f->ctx, jo_sens_save(f->ctx, r, path[i]));
    assert_ok(f->ctx, jo_loads_save(f->ctx, l, path[2 + i]));
    assert_ok(f->ctx, jo_loads_save(f->ctx, l, path[4 + i]));
    assert_ok(f->ctx, jo_system_set(f->ctx, s, by, &now, 1));
  }
  assert_memory_equal(row[0], row[1], sizeof row[0]);
  compare_files(f, path[0], f, path[1]);
  compare_files(f, path[2], f, path[3]);
  compare_files(f, path[4], f, path[5]);
  size_t size;
  assert_non_null(strstr(text_of(f, path[1], &size), "# settings: k=20500"));
  assert_non_null(strstr(text_of(f, path[5], &size), "# settings: k=20500"));
  jo_loads_result_destroy(l);
  jo_sens_result_destroy(r);
  fixture_close(f);
}

// Events of a run with other values come back with the model at these.
static void test_system_events_bring_values_that_were_set(void** state) {
  (void)state;
  const double k = 20500.0;
  const jo_system_options slow = {.interpreter = 1};
  fixture* f = open_model(CAR);
  jo_system* s = prepare(f, JO_USE_LOADS);
  const char* path = fixture_below(f, "x.events");
  assert_ok(f->ctx, jo_system_set(f->ctx, s, by, &k, 1));
  jo_loads_result* r = load(f, s);
  assert_ok(f->ctx, jo_loads_save(f->ctx, r, path));
  jo_load_events* v;
  assert_ok(f->ctx, jo_load_events_open(f->ctx, path, NULL, 0, &slow, &v));
  jo_parameter p;
  assert_ok(f->ctx, jo_model_parameter_at(jo_load_events_model(v), 0, &p));
  assert_string_equal(p.name, "k");
  assert_true(p.value == k);
  jo_load_events_destroy(v);
  jo_loads_result_destroy(r);
  fixture_close(f);
}

// ---- events and checks ---------------------------------------------------------------------------

// What events add is what exact derivatives have and frozen ones have not, to rounding of the largest:
// one step after the other (cart: impulses; bounce: forces that jump), by either method.
static void check_sums(const char* model, jo_sens_method method) {
  fixture* f = open_model(model);
  fixture_prepare(f, (jo_system_options){.use = JO_USE_CONTRIBUTIONS});
  jo_sens_result* r = differentiate(f, f->system, method);
  int n = jo_sens_parameter_count(f->system);
  for (int o = 0; o < jo_sens_objective_count(r); o++) {
    double largest = 0.0, moved = 0.0;
    for (int k = 0; k < n; k++) {
      largest = fmax(largest, fabs(jo_sens_derivative(r, o, k)));
      largest = fmax(largest, fabs(jo_sens_derivative_frozen(r, o, k)));
    }
    for (int k = 0; k < n; k++) {
      double sum = 0.0;
      for (int e = 0; e < jo_sens_event_count(r); e++) {
        sum += jo_sens_event_contribution(r, e, o, k);
      }
      double less = jo_sens_derivative(r, o, k) - jo_sens_derivative_frozen(r, o, k);
      assert_near(sum, less, 1e-12 * largest);
      moved = fmax(moved, fabs(sum));
    }
    if (o == 0) assert_true(moved > 0.0);
  }
  jo_sens_result_destroy(r);
  fixture_close(f);
}

static void test_system_contributions_are_exact_less_frozen(void** state) {
  (void)state;
  static const char* const model[] = {BOUNCE, CART, CAR};
  for (int i = 0; i < 3; i++) {
    check_sums(model[i], JO_SENS_DIRECT);
    check_sums(model[i], JO_SENS_ADJOINT);
  }
}

static int stop(void* user, double fraction) {
  (void)user, (void)fraction;
  return 0;
}

// The buggy off the step: both methods walk one recorded run, and nothing is run for contributions.
static void test_system_checks_walk_the_recorded_run(void** state) {
  (void)state;
  static const char* const wrt[] = {"k_f", "m_c"};
  fixture* f = open_model(BUGGY);
  jo_system_options use = {.use = JO_USE_CHECKS | JO_USE_CONTRIBUTIONS, .wrt = wrt, .nwrt = 2};
  jo_system* s;
  assert_ok(f->ctx, jo_system_create(f->ctx, f->model, &use, &s));
  jo_sens_statistics told[2];
  for (int contributions = 0; contributions < 2; contributions++) {
    jo_sens_options opt = jo_sens_options_default();
    jo_sens_result* r;
    opt.contributions = contributions;
    assert_ok(f->ctx, jo_sens_run(f->ctx, s, &opt, &r));
    told[contributions] = jo_sens_result_statistics(r);
    assert_true(jo_sens_event_count(r) > 0);
    assert_true(isfinite(jo_sens_derivative_frozen(r, 0, 0)) == (contributions == 1));
    jo_sens_check_row row[16];
    assert_true(2 * jo_sens_objective_count(r) <= 16);
    // of differences the first are enough
    if (contributions) {
      assert_int_equal(jo_sens_check(f->ctx, r, stop, NULL, row), JO_ERR_LIMIT);
      for (int i = 0; i < 2 * jo_sens_objective_count(r); i++) {
        assert_near(row[i].adjoint, row[i].direct, 1e-10 * fabs(row[i].direct));
        assert_true(row[i].direct == jo_sens_gradient(r)[i] ||
                    row[i].adjoint == jo_sens_gradient(r)[i]);
      }
      assert_near(row[0].difference, row[0].direct, 1e-6 * fabs(row[0].direct));
    }
    jo_sens_result_destroy(r);
  }
  assert_int_equal(told[0].passes, told[1].passes);
  assert_int_equal(told[0].steps, told[1].steps);
  assert_int_equal(told[0].evaluations, told[1].evaluations);
  assert_true(told[0].cpu_contributions == 0.0);
  for (int i = 0; i < 2; i++) {
    double sum = told[i].cpu_dynamics + told[i].cpu_sensitivity + told[i].cpu_errors;
    assert_near(sum + told[i].cpu_contributions, told[i].cpu_total, 1e-12);
    assert_true(told[i].cpu_sensitivity > 0.0);
  }
  jo_system_destroy(s);
  fixture_close(f);
}

// ---- refusals ------------------------------------------------------------------------------------

#define refuse(f, call, what)                                                                     \
  do {                                                                                            \
    assert_refused((f)->ctx, (call), JO_ERR_ARGUMENT, ": the system was not prepared for " what); \
    jo_context_clear((f)->ctx);                                                                   \
  } while (0)

static void test_system_for_runs_refuses_the_rest(void** state) {
  (void)state;
  fixture* f = open_model(CAR);
  const jo_system* s = prepare(f, JO_USE_RUNS);
  jo_sens_result* r;
  jo_loads_result* l;
  jo_loads_sens* d;
  jo_sens_vcurve_point v;
  double exact;
  assert_int_equal(jo_sens_parameter_count(s), 0);
  refuse(f, jo_sens_run(f->ctx, s, NULL, &r), "derivatives");
  refuse(f, jo_sens_vcurve(f->ctx, s, NULL, 0, 0, 1, &v, &exact), "checks of derivatives");
  refuse(f, jo_loads_run(f->ctx, s, NULL, &l), "loads");
  refuse(f, jo_loads_sens_run(f->ctx, s, NULL, &d), "derivatives of outputs by the direct method");
  assert_true(!r && !l && !d);
  fixture_close(f);
}

static void test_system_for_loads_refuses_the_rest(void** state) {
  (void)state;
  fixture* f = open_model(CAR);
  const jo_system* s = prepare(f, JO_USE_LOADS);
  const jo_range range = {.name = "k", .from = 1e4, .to = 2e4, .n = 2};
  jo_sweep_options opt = jo_sweep_options_default();
  opt.range = &range;
  opt.nrange = 1;
  jo_result* r;
  jo_run* run;
  jo_sens_result* g;
  jo_sens_vcurve_point v;
  jo_loads_sens* d;
  jo_sweep* w;
  double exact;
  const char* page = fixture_below(f, "x.html");
  refuse(f, jo_simulate(f->ctx, s, NULL, &r), "runs");
  refuse(f, jo_run_create(f->ctx, s, NULL, &run), "runs");
  refuse(f, jo_system_check(f->ctx, s), "runs");
  refuse(f, jo_sweep_create(f->ctx, s, &opt, &w), "runs");
  refuse(f, jo_report_write(f->ctx, s, NULL, page, NULL), "runs");
  refuse(f, jo_sens_run(f->ctx, s, NULL, &g), "derivatives");
  refuse(f, jo_sens_vcurve(f->ctx, s, NULL, 0, 0, 1, &v, &exact), "checks of derivatives");
  refuse(f, jo_loads_sens_run(f->ctx, s, NULL, &d), "derivatives of outputs by the direct method");
  assert_true(!r && !run && !g && !d && !w && !jfile_exists(page));
  // what it is it tells all the same
  assert_int_equal(jo_system_inspect(s).dof, 2);
  fixture_close(f);
}

static void test_system_for_derivatives_refuses_the_rest(void** state) {
  (void)state;
  static const char* const output[] = {"heave"};
  fixture* f = open_model(CAR);
  const jo_system* s = fixture_prepare(
      f, (jo_system_options){
             .use = JO_USE_DERIVATIVES, .wrt = by, .nwrt = 2, .method = JO_SENS_ADJOINT});
  jo_sens_options opt = jo_sens_options_default();
  opt.history = output;
  opt.nhistory = 1;
  jo_sens_result *r = differentiate(f, s, JO_SENS_AUTO), *none;
  jo_sens_check_row row[4];
  jo_sens_vcurve_point v;
  jo_loads_result* l;
  jo_loads_sens* d;
  double exact;
  refuse(f, jo_sens_check(f->ctx, r, NULL, NULL, row), "checks of derivatives");
  refuse(f, jo_sens_vcurve(f->ctx, s, NULL, 0, 0, 1, &v, &exact), "checks of derivatives");
  refuse(f, jo_sens_run(f->ctx, s, &opt, &none), "derivatives of outputs by the direct method");
  refuse(f, jo_loads_sens_run(f->ctx, s, NULL, &d), "derivatives of outputs by the direct method");
  refuse(f, jo_loads_run(f->ctx, s, NULL, &l), "loads");
  opt = jo_sens_options_default();
  opt.method = JO_SENS_DIRECT;
  refuse(f, jo_sens_run(f->ctx, s, &opt, &none), "derivatives by the direct method");
  assert_true(!none && !l && !d);
  jo_sens_result_destroy(r);
  fixture_close(f);
}

// Sweeps take the method that is there, and refuse the other before the first point.
static void test_system_sweeps_refuse_a_method_that_is_not_there(void** state) {
  (void)state;
  fixture* f = open_model(CAR);
  const jo_range range = {.name = "k", .from = 1e4, .to = 2e4, .n = 2};
  jo_sweep_options opt = jo_sweep_options_default();
  opt.range = &range;
  opt.nrange = 1;
  opt.method = JO_SENS_DIRECT;
  jo_sweep* w;
  const jo_system* s = fixture_prepare(
      f, (jo_system_options){
             .use = JO_USE_DERIVATIVES, .wrt = by, .nwrt = 2, .method = JO_SENS_ADJOINT});
  refuse(f, jo_sweep_create(f->ctx, s, &opt, &w), "derivatives by the direct method");
  assert_null(w);
  opt.method = JO_SENS_AUTO;
  assert_ok(f->ctx, jo_sweep_create(f->ctx, s, &opt, &w));
  assert_int_equal(jo_sweep_inspect(w).method, JO_SENS_ADJOINT);
  jo_sweep_destroy(w);
  fixture_close(f);
}

// ---- paths ---------------------------------------------------------------------------------------

static const char mirrored[] =
    "jounce: 1\n"
    "parameters: {high: 0.5}\n"
    "templates:\n"
    "  corner:\n"
    "    parameters: {k: 30}\n"
    "    hardpoints: {p: [0.2, 0.6, 0.1]}\n"
    "    bodies:\n"
    "      arm: {mass: 2, com: [0.35, 0.4, 0.25], inertia: [0.1, 0.2, 0.15, 0, 0, 0.02],\n"
    "            points: {e: [0.4, 0.5, 0.2]}}\n"
    "    joints: {arm: {type: revolute, child: arm, at: p, axis: [1, 0.2, 0.1]}}\n"
    "    forces: {s: {on: arm, stiffness: k, damping: 2}}\n"
    "    initial: {arm: 0.1}\n"
    "instances:\n"
    "  r: {mirror: l, parameters: {k: 35}}\n"
    "  l: {template: corner, at: [0.1, 0.2, high], turn: 0.1}\n"
    "objectives: {psi: {integral: l.arm.e.z + 2*r.arm.e.z - r.arm.e.y + l.arm.e.y*l.arm.e.x}}\n"
    "simulation: {end: 0.3, tolerance: 1e-10}\n";

static double objective_of(fixture* f, const jo_system* s) {
  jo_result* r;
  assert_ok(f->ctx, jo_simulate(f->ctx, s, NULL, &r));
  double psi = run_objective(r, 0);
  jo_result_destroy(r);
  return psi;
}

// The objective at another value of a number: of a file with that value, or of a system that is set to it.
static double at_value(const char* path, double value, bool in_file) {
  fixture* f = fixture_open();
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  jo_setting set = {path, text};
  assert_ok(f->ctx, jo_model_parse(f->ctx, mirrored, strlen(mirrored), "mirrored.yaml", &set,
                                   in_file ? 1 : 0, &f->model));
  fixture_system(f, &path, in_file ? 0 : 1);
  if (!in_file) assert_ok(f->ctx, jo_system_set(f->ctx, f->system, &path, &value, 1));
  double psi = objective_of(f, f->system);
  fixture_close(f);
  return psi;
}

// The file is read again by checks: it must be the one that was run.
static void test_system_checks_want_the_file_that_was_run(void** state) {
  (void)state;
  fixture* f = fixture_open();
  const char* const moved = "instances.l.at.x";
  const char* path = fixture_below(f, "mirrored.yaml");
  jo_sens_check_row row;
  assert_ok(f->ctx, jfile_write(f->ctx, path, mirrored, strlen(mirrored)));
  fixture_model(f, path, NULL, 0);
  const jo_system* s =
      fixture_prepare(f, (jo_system_options){.use = JO_USE_CHECKS, .wrt = &moved, .nwrt = 1});
  jo_sens_result* r = differentiate(f, s, JO_SENS_AUTO);
  assert_ok(f->ctx, jo_sens_check(f->ctx, r, NULL, NULL, &row));
  assert_near(row.difference, row.direct, 1e-6 * fabs(row.direct));
  assert_ok(f->ctx, jfile_write(f->ctx, path, mirrored, strlen(mirrored) - 1));
  assert_refused(f->ctx, jo_sens_check(f->ctx, r, NULL, NULL, &row), JO_ERR_FILE,
                 "the file has changed since it was read");
  jo_sens_result_destroy(r);
  fixture_close(f);
}

// Objectives are computed in the order they are asked for; the rest of the run is the same.
static void test_system_of_some_objectives(void** state) {
  (void)state;
  fixture *f = open_model(CAR), *g = open_model(CAR);
  const char* const some[] = {"travel", "comfort", "travel"};  // the last is one too many
  const char* const unknown = "comfrot";
  const jo_system* all = prepare(f, JO_USE_DERIVATIVES);
  const jo_system* two = fixture_prepare(
      g, (jo_system_options){
             .use = JO_USE_DERIVATIVES, .wrt = by, .nwrt = 2, .objective = some, .nobjective = 2});
  jo_sens_result *a = differentiate(f, all, JO_SENS_AUTO), *b = differentiate(g, two, JO_SENS_AUTO);
  assert_int_equal(jo_sens_objective_count(b), 2);
  for (int i = 0; i < 2; i++) {
    jo_quantity p, q;
    int other = -1;
    assert_ok(g->ctx, jo_sens_objective_at(b, i, &q));
    assert_string_equal(q.name, some[i]);
    assert_null(jo_sens_objective_reason(b, i));
    while (jo_sens_objective_at(a, ++other, &p) >= 0 && strcmp(p.name, q.name) != 0) {
    }
    compare(&p.value, &q.value, 1);
    compare(jo_sens_gradient(a) + 2 * other, jo_sens_gradient(b) + 2 * i, 2);
  }
  jo_system* none;
  jo_system_options opt = {.objective = &unknown, .nobjective = 1};
  assert_refused(g->ctx, jo_system_create(g->ctx, g->model, &opt, &none), JO_ERR_ARGUMENT,
                 "no objective is named 'comfrot'; did you mean 'comfort'?");
  jo_context_clear(g->ctx);
  opt = (jo_system_options){.objective = some, .nobjective = 3};
  assert_refused(g->ctx, jo_system_create(g->ctx, g->model, &opt, &none), JO_ERR_ARGUMENT,
                 "objective 'travel' is given twice");
  jo_sens_result_destroy(a);
  jo_sens_result_destroy(b);
  fixture_close(f);
  fixture_close(g);
}

static void test_system_set_by_any_path_is_the_setting_of_a_file(void** state) {
  (void)state;
  fixture* f = fixture_open();
  const char* const all = "all";
  assert_ok(f->ctx, jo_model_parse(f->ctx, mirrored, strlen(mirrored), "mirrored.yaml", NULL, 0,
                                   &f->model));
  const jo_system* s = fixture_prepare(f, (jo_system_options){.wrt = &all, .nwrt = 1});
  double nominal = objective_of(f, s);
  int moved = 0;
  for (int i = 0; i < jo_sens_parameter_count(s); i++) {
    jo_sens_parameter p;
    assert_ok(f->ctx, jo_sens_parameter_at(s, i, &p));
    double value = p.value != 0.0 ? 1.01 * p.value : 0.001;
    double in_file = at_value(p.name, value, true), set = at_value(p.name, value, false);
    assert_near(set, in_file, 1e-9 * (1.0 + fabs(in_file)));
    moved += fabs(in_file - nominal) > 1e-7;
  }
  assert_true(moved > 30);
  fixture_close(f);
}

// ---- tyres ---------------------------------------------------------------------------------------

static const char rolling[] =
    "jounce: 1\n"
    "parameters: {k: 50, v: 20, c: 1.5}\n"
    "bodies: {b: {mass: 400}, w: {mass: 20, inertia: [1, 2, 1]}}\n"
    "joints: {x: {type: prismatic, child: b, axis: x, drive: v*t},\n"
    "  z: {type: prismatic, parent: b, child: w, axis: z}}\n"
    "tyres: {tyre: {file: %s/test/data/tyres/MagicFormula61_Parameters.tir, wheel: w, axis: y,\n"
    "  coefficients: {PKX1: k, PCX1: c}}}\n"
    "objectives: {fz: {final: tyre.fz}}\n"
    "initial: {z: 0.38}\n"
    "simulation: {end: 0.01}\n";

// The last warning that the context has got, and nothing else.
static const char* only_warning(fixture* f) {
  jo_severity severity = JO_ERROR;
  if (jo_context_diagnostic_count(f->ctx) != 1) return "";
  const char* text = jo_context_diagnostic(f->ctx, 0, &severity);
  return severity == JO_WARNING ? text : "";
}

static void test_system_set_judges_signs_of_tyres(void** state) {
  (void)state;
  static const char* const name[] = {"k"};
  static const char where[] = "changes its sign at a load of";
  char text[2048], here[512];
  fixture* f = fixture_open();
  const char* path = fixture_below(f, "m.yaml");
  assert_non_null(getcwd(here, sizeof here));
  snprintf(text, sizeof text, rolling, here);
  assert_ok(f->ctx, jfile_write(f->ctx, path, text, strlen(text)));
  fixture_model(f, path, NULL, 0);
  jo_system* s = fixture_prepare(f, (jo_system_options){.use = JO_USE_RUNS});
  double k = -20.0, less = 20.0, fine = 60.0;
  assert_int_equal(jo_system_set(f->ctx, s, name, &k, 1), JO_ERR_MODEL);
  assert_non_null(strstr(jo_context_message(f->ctx), "longitudinal slip stiffness"));
  jo_context_clear(f->ctx);
  assert_ok(f->ctx, jo_system_set(f->ctx, s, name, &less, 1));
  assert_non_null(strstr(only_warning(f), where));
  jo_context_clear(f->ctx);
  // what was reported is not reported again, nor by the run
  static const char* const other[] = {"v"};
  double v = 21.0;
  jo_result* r;
  assert_ok(f->ctx, jo_system_set(f->ctx, s, other, &v, 1));
  assert_ok(f->ctx, jo_simulate(f->ctx, s, NULL, &r));
  jo_result_destroy(r);
  assert_ok(f->ctx, jo_system_set(f->ctx, s, name, &fine, 1));
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
  // forces that drive what slides, at large slips only
  static const char* const shape[] = {"c"};
  double large = 3.0, small = 1.5;
  assert_ok(f->ctx, jo_system_set(f->ctx, s, shape, &large, 1));
  assert_non_null(strstr(only_warning(f), "points along the sliding velocity"));
  jo_context_clear(f->ctx);
  assert_ok(f->ctx, jo_system_set(f->ctx, s, shape, &small, 1));
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
  // points of a batch: each cause once
  jo_batch_options opt = jo_batch_options_default();
  const double point[] = {60.0, 22.0, 20.0};
  jo_batch* b;
  opt.parameter = name;
  opt.nparameter = 1;
  assert_ok(f->ctx, jo_batch_create(f->ctx, s, &opt, &b));
  jo_context_clear(f->ctx);
  assert_ok(f->ctx, jo_batch_run(b, 3, point));
  assert_non_null(strstr(only_warning(f), where));
  assert_non_null(strstr(only_warning(f), "the first is point 2"));
  jo_batch_destroy(b);
  fixture_close(f);
}

// ---- starts --------------------------------------------------------------------------------------

static const char standing[] =
    "jounce: 1\n"
    "parameters: {r: 0.3, z0: 0.29}\n"
    "bodies: {x: {mass: 1}, b: {mass: 400}, w: {mass: 20, inertia: [1, 2, 1]}}\n"
    "joints: {x: {type: prismatic, child: x, axis: x},\n"
    "  z: {type: prismatic, parent: x, child: b, axis: z},\n"
    "  w: {type: revolute, parent: b, child: w, axis: y}}\n"
    "tyres: {tyre: {wheel: w, radius: r, stiffness: 2e5, kappa_c: 0.1, alpha_c: 0.1,\n"
    "  mu_x: 1, mu_y: 1}}\n"
    "objectives: {z: {final: z}}\n"
    "initial: {x: {value: 0, rate: 10}, z: z0, w: {value: 0, rate: 33}}\n"
    "simulation: {end: 0.01}\n";

typedef jo_status (*question)(fixture* f, const jo_system* s);

static jo_status ask_simulation(fixture* f, const jo_system* s) {
  jo_result* r = NULL;
  jo_status status = jo_simulate(f->ctx, s, NULL, &r);
  jo_result_destroy(r);
  return status;
}

static jo_status ask_derivatives(fixture* f, const jo_system* s) {
  jo_sens_result* r = NULL;
  jo_status status = jo_sens_run(f->ctx, s, NULL, &r);
  jo_sens_result_destroy(r);
  return status;
}

static jo_status ask_loads(fixture* f, const jo_system* s) {
  jo_loads_result* r = NULL;
  jo_status status = jo_loads_run(f->ctx, s, NULL, &r);
  jo_loads_result_destroy(r);
  return status;
}

static jo_status ask_derivatives_of_loads(fixture* f, const jo_system* s) {
  jo_loads_sens* r = NULL;
  jo_status status = jo_loads_sens_run(f->ctx, s, NULL, &r);
  jo_loads_sens_destroy(r);
  return status;
}

static jo_status ask_steps(fixture* f, const jo_system* s) {
  jo_run* r = NULL;
  jo_status status = jo_run_create(f->ctx, s, NULL, &r);
  jo_run_destroy(r);
  return status;
}

// Whatever begins a run with values that were set warns of their start, as the model with them does.
static void test_system_set_warns_of_starts(void** state) {
  (void)state;
  static const char* const name[] = {"z0"};
  static const question all[] = {ask_simulation, ask_derivatives, ask_loads,
                                 ask_derivatives_of_loads, ask_steps};
  static const char deep[] = "at the start it is deflected by 0.2 m of its radius of 0.3 m";
  fixture* f = fixture_open();
  const char* const wrt = "z0";
  assert_ok(f->ctx, jo_model_parse(f->ctx, standing, strlen(standing), "standing.yaml", NULL, 0,
                                   &f->model));
  unsigned use = JO_USE_RUNS | JO_USE_HISTORIES | JO_USE_LOADS;
  jo_system* s = fixture_prepare(f, (jo_system_options){.use = use, .wrt = &wrt, .nwrt = 1});
  double low = 0.1, high = 0.28;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    jo_context_clear(f->ctx);
    assert_ok(f->ctx, jo_system_set(f->ctx, s, name, &high, 1));
    assert_ok(f->ctx, all[i](f, s));
    assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
    assert_ok(f->ctx, jo_system_set(f->ctx, s, name, &low, 1));
    assert_ok(f->ctx, all[i](f, s));
    assert_non_null(strstr(only_warning(f), deep));
  }
  // points of a batch: once, with how many
  jo_batch_options opt = jo_batch_options_default();
  const double point[] = {0.28, 0.1, 0.27, 0.05};
  jo_batch* b;
  opt.parameter = name;
  opt.nparameter = 1;
  assert_ok(f->ctx, jo_batch_create(f->ctx, s, &opt, &b));
  jo_context_clear(f->ctx);
  assert_ok(f->ctx, jo_batch_run(b, 4, point));
  assert_non_null(strstr(only_warning(f), deep));
  assert_non_null(strstr(only_warning(f), "; 2 of 4 points start so, the first is point 2"));
  jo_batch_destroy(b);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_system_for_everything_is_all_of_its_parts),
      cmocka_unit_test(test_system_without_contributions_has_none),
      cmocka_unit_test(test_system_set_values_are_those_of_a_model),
      cmocka_unit_test(test_system_set_values_find_their_own_rest),
      cmocka_unit_test(test_system_loads_begin_at_rest_of_set_values),
      cmocka_unit_test(test_system_results_keep_their_values),
      cmocka_unit_test(test_system_events_bring_values_that_were_set),
      cmocka_unit_test(test_system_contributions_are_exact_less_frozen),
      cmocka_unit_test(test_system_checks_walk_the_recorded_run),
      cmocka_unit_test(test_system_for_runs_refuses_the_rest),
      cmocka_unit_test(test_system_for_loads_refuses_the_rest),
      cmocka_unit_test(test_system_for_derivatives_refuses_the_rest),
      cmocka_unit_test(test_system_sweeps_refuse_a_method_that_is_not_there),
      cmocka_unit_test(test_system_set_by_any_path_is_the_setting_of_a_file),
      cmocka_unit_test(test_system_checks_want_the_file_that_was_run),
      cmocka_unit_test(test_system_of_some_objectives),
      cmocka_unit_test(test_system_set_judges_signs_of_tyres),
      cmocka_unit_test(test_system_set_warns_of_starts),
  };
  return cmocka_run_group_tests_name("api.system", tests, NULL, NULL);
}
