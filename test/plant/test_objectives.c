// SPDX-License-Identifier: Apache-2.0
// Objectives against values computed by hand. The signals are functions of time, so that nothing but
// the objective itself is at stake; a cart rolls along to have a motion at all.
#include <complex.h>

#include "jounce/jounce.h"
#include "support/fixture.h"
#include "support/tables.h"

#define PI 3.14159265358979323846

// The cart: x = 1 + 2 t.
static const char cart[] =
    "jounce: 1\n"
    "name: signals\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {A: 1.5, f: 2, from: 0.7, to: 1.9}\n"
    "bodies: {cart: {mass: 2}}\n"
    "joints: {x: {type: prismatic, child: cart, axis: x}}\n"
    "initial: {x: {value: 1, rate: 2}}\n";

// The cart with objectives and a simulation block.
static fixture* open_with(const char* rest, const jo_setting* set, int nset) {
  fixture* f = fixture_open();
  char text[4096];
  snprintf(text, sizeof text, "%s%s", cart, rest);
  assert_ok(f->ctx,
            jo_model_parse(f->ctx, text, strlen(text), "signals.yaml", set, nset, &f->model));
  return f;
}

static fixture* open_model(const char* rest) {
  return open_with(rest, NULL, 0);
}

// Values of a run, by name.
typedef struct values {
  jo_system* system;
  jo_result* result;
} values;

static values run(fixture* f) {
  values v = {0};
  jo_system_options opt = {.interpreter = 1};
  assert_ok(f->ctx, jo_system_create(f->ctx, f->model, &opt, &v.system));
  assert_ok(f->ctx, jo_simulate(f->ctx, v.system, NULL, &v.result));
  return v;
}

static double value(const values* v, const char* name) {
  const jo_table* t = table_of(jo_result_tables(v->result), "objectives");
  for (int i = 0; i < t->nrow; i++) {
    if (strcmp(t->column[0].text[i], name) == 0) return run_objective(v->result, i);
  }
  fail_msg("no objective %s", name);
  return NAN;
}

static void drop(values* v) {
  jo_result_destroy(v->result);
  jo_system_destroy(v->system);
}

static void test_objectives_are_what_their_names_say(void** state) {
  (void)state;
  fixture* f = open_model(
      "objectives:\n"
      "  area: {integral: t^2}\n"
      "  middle: {mean: x}\n"
      "  power: {rms: A*sin(2*pi*f*t)}\n"
      "  top: {peak: A*sin(2*pi*f*t), power: 16}\n"
      "  end: {final: x}\n"
      "  sum: {integral: t, final: x^2}\n"
      "simulation: {end: 2.25, tolerance: 1.0e-11}\n");
  values v = run(f);
  double T = 2.25, phase = 4.0 * PI * 2.0 * T;
  assert_near(value(&v, "area"), T * T * T / 3.0, 1e-10);
  assert_near(value(&v, "middle"), 1.0 + T, 1e-10);
  assert_near(value(&v, "power"), 1.5 * sqrt(0.5 - sin(phase) / (2.0 * phase)), 1e-9);
  // the mean of sin^16 over half periods is 15!!/16!!
  assert_near(value(&v, "top"), 1.5 * pow(6435.0 / 32768.0, 1.0 / 16.0), 1e-9);
  assert_near(value(&v, "end"), 1.0 + 2.0 * T, 1e-10);
  assert_near(value(&v, "sum"), 0.5 * T * T + (1.0 + 2.0 * T) * (1.0 + 2.0 * T), 1e-9);
  drop(&v);
  fixture_close(f);
}

static void test_objectives_see_their_window_only(void** state) {
  (void)state;
  fixture* f = open_model(
      "objectives:\n"
      "  area: {integral: t^2, window: [from, to]}\n"
      "  middle: {mean: t, window: [from, to]}\n"
      "  power: {rms: t, window: [from, to]}\n"
      "  late: {integral: 1, window: [2, 2.5]}\n"
      "simulation: {end: 2.5, tolerance: 1.0e-11}\n");
  values v = run(f);
  double a = 0.7, b = 1.9, cubes = (b * b * b - a * a * a) / 3.0;
  assert_near(value(&v, "area"), cubes, 1e-10);
  assert_near(value(&v, "middle"), 0.5 * (a + b), 1e-10);
  assert_near(value(&v, "power"), sqrt(cubes / (b - a)), 1e-10);
  assert_near(value(&v, "late"), 0.5, 1e-10);
  drop(&v);
  fixture_close(f);
}

// Magnitude of a filter at a frequency: a sine through it for long, root mean square of whole periods.
static double magnitude(const char* filter, double frequency) {
  char rest[512];
  double period = 1.0 / frequency, from = ceil(6.0 / period) * period;
  double to = from + ceil(0.5 / period) * period;
  snprintf(rest, sizeof rest,
           "objectives: {through: {rms: sin(%.17g*t), filter: %s, window: [%.17g, %.17g]}}\n"
           "simulation: {end: %.17g, tolerance: 1.0e-10}\n",
           2.0 * PI * frequency, filter, from, to, to + 1e-3);
  fixture* f = open_model(rest);
  values v = run(f);
  double out = sqrt(2.0) * value(&v, "through");
  drop(&v);
  fixture_close(f);
  return out;
}

static void test_objectives_butterworth_low_pass(void** state) {
  (void)state;
  const double corner = 3.0, ratio[] = {0.4, 1.0, 2.5};
  for (int i = 0; i < 3; i++) {
    double r = ratio[i], expected = 1.0 / sqrt(1.0 + r * r * r * r);
    assert_near(magnitude("lowpass, frequency: 3", r * corner), expected, 1e-6);
  }
}

// ISO 2631-1:1997, Annex A: band limits, acceleration-velocity transition, upward step.
static double weighting(bool is_vertical, double frequency) {
  double complex s = 2.0 * PI * frequency * I;
  double w1 = 2.0 * PI * 0.4, w2 = 2.0 * PI * 100.0, w4 = 2.0 * PI * (is_vertical ? 12.5 : 2.0);
  double complex h = s * s / (s * s + sqrt(2.0) * w1 * s + w1 * w1);
  h *= 1.0 / (1.0 + sqrt(2.0) * s / w2 + s * s / (w2 * w2));
  h *= (1.0 + s / w4) / (1.0 + s / (0.63 * w4) + s * s / (w4 * w4));
  if (is_vertical) {
    double w5 = 2.0 * PI * 2.37, w6 = 2.0 * PI * 3.35, Q = 0.91;
    h *= (s * s + s * w5 / Q + w5 * w5) / (s * s + s * w6 / Q + w6 * w6);
  }
  return cabs(h);
}

static void test_objectives_weightings_are_those_of_iso_2631(void** state) {
  (void)state;
  // Table 3: factors of one-third octave bands, in thousandths
  const struct {
    double frequency, Wk, Wd;
  } band[] = {{1.0, 482.0, 1011.0},
              {4.0, 967.0, 512.0},
              {8.0, 1036.0, 253.0},
              {16.0, 768.0, 125.0},
              {31.5, 405.0, 63.2}};
  for (int i = 0; i < 5; i++) {
    double vertical = magnitude("Wk", band[i].frequency);
    double horizontal = magnitude("Wd", band[i].frequency);
    assert_near(vertical, weighting(true, band[i].frequency), 2e-6);
    assert_near(horizontal, weighting(false, band[i].frequency), 2e-6);
    // one unit of the last digit: the table is rounded at either nominal or true frequencies
    assert_near(1e3 * vertical, band[i].Wk, 1.0);
    assert_near(1e3 * horizontal, band[i].Wd, i == 4 ? 0.1 : 1.0);
  }
}

// rms, peak and filters are homogeneous: A dpsi/dA = psi. Ends of a window move the integral by the
// signal there, through events of time; frozen they move nothing but the duration.
static void test_objectives_are_differentiated_in_every_form(void** state) {
  (void)state;
  fixture* f = open_model(
      "objectives:\n"
      "  power: {rms: A*sin(2*pi*f*t)}\n"
      "  top: {peak: A*sin(2*pi*f*t)}\n"
      "  felt: {rms: A*sin(2*pi*f*t), filter: Wk}\n"
      "  smooth: {peak: A*cos(2*pi*f*t), filter: lowpass, frequency: 4, window: [from, to]}\n"
      "  area: {integral: A*t^2, window: [from, to]}\n"
      "simulation: {end: 2.25, tolerance: 1.0e-10}\n");
  const char* const name[] = {"A", "from", "to"};
  jo_sens_result* r;
  fixture_prepare(f, (jo_system_options){.wrt = name, .nwrt = 3});
  assert_ok(f->ctx, jo_sens_run(f->ctx, f->system, NULL, &r));
  for (int o = 0; o < 5; o++) {
    jo_quantity q;
    assert_ok(f->ctx, jo_sens_objective_at(r, o, &q));
    assert_near(1.5 * jo_sens_derivative(r, o, 0), q.value, 1e-9);
  }
  assert_near(jo_sens_derivative(r, 4, 1), -1.5 * 0.7 * 0.7, 1e-9);
  assert_near(jo_sens_derivative(r, 4, 2), 1.5 * 1.9 * 1.9, 1e-9);
  assert_near(jo_sens_derivative_frozen(r, 4, 1), 0.0, 1e-12);
  assert_near(jo_sens_derivative_frozen(r, 4, 2), 0.0, 1e-12);
  jo_sens_result_destroy(r);
  fixture_close(f);
}

// T is that of the run that was made, not of the one in the file: the mean of 2 is 2.
static void test_objectives_have_the_duration_of_the_run(void** state) {
  (void)state;
  fixture* f = open_model(
      "objectives:\n"
      "  middle: {mean: 2}\n"
      "  power: {rms: 2}\n"
      "  top: {peak: 2}\n"
      "simulation: {start: -1, end: 4}\n");
  const double end[] = {16.0, 4.0, 0.5};
  jo_system_options interpreted = {.interpreter = 1};
  jo_system* system;
  assert_ok(f->ctx, jo_system_create(f->ctx, f->model, &interpreted, &system));
  for (int i = 0; i < 3; i++) {
    jo_simulate_options opt = jo_simulate_options_default();
    opt.t_end_s = end[i];
    values v = {.system = NULL};
    assert_ok(f->ctx, jo_simulate(f->ctx, system, &opt, &v.result));
    assert_near(value(&v, "middle"), 2.0, 1e-12);
    assert_near(value(&v, "power"), 2.0, 1e-12);
    assert_near(value(&v, "top"), 2.0, 1e-12);
    drop(&v);
  }
  jo_system_destroy(system);
  fixture_close(f);
}

// Every row is what a run that ends there has: zero until something of the window was seen.
static void test_objectives_have_histories_without_gaps(void** state) {
  (void)state;
  fixture* f = open_model(
      "objectives:\n"
      "  middle: {mean: t}\n"
      "  late: {rms: 3, window: [from, to]}\n"
      "  late_mean: {mean: t, window: [from, to]}\n"
      "simulation: {start: 0.2, end: 2.2, output_step: 0.1}\n");
  values v = run(f);
  const jo_table* history = history_of(v.result);
  int n = history->ncolumn;
  for (int i = 0; i < history->nrow; i++) {
    const double *row = history->column[0].value + i * n, *psi = row + n - 3, t = row[0];
    double until = fmin(t, 1.9);
    assert_near(psi[0], i == 0 ? 0.0 : 0.5 * (t + 0.2), 1e-9);
    assert_near(psi[1], t > 0.7 + 1e-12 ? 3.0 : 0.0, 1e-7);
    assert_near(psi[2], t > 0.7 + 1e-12 ? 0.5 * (0.7 + until) : 0.0, 1e-7);
    assert_false(signbit(psi[1]) || signbit(psi[2]));
  }
  drop(&v);
  fixture_close(f);
}

// What a run and a sensitivity say of the window of the only objective; "": nothing.
static void check_window(const char* window, const char* from, const char* to, double end,
                         const char* expected) {
  char rest[256];
  snprintf(rest, sizeof rest,
           "objectives: {late: {mean: t, window: %s}}\nsimulation: {start: 0.5, end: 2}\n", window);
  jo_setting set[] = {{"from", from}, {"to", to}};
  fixture* f = open_with(rest, set, 2);
  jo_context* ctx = f->ctx;
  jo_system_options interpreted = {.interpreter = 1};
  jo_simulate_options opt = jo_simulate_options_default();
  jo_system* system;
  jo_result* result;
  opt.t_end_s = end;
  assert_ok(ctx, jo_system_create(ctx, f->model, &interpreted, &system));
  jo_status status = jo_simulate(ctx, system, &opt, &result);
  assert_int_equal(status, *expected ? JO_ERR_MODEL : JO_OK);
  if (*expected) {
    assert_null(result);
    assert_non_null(strstr(jo_context_message(ctx), expected));
    assert_non_null(strstr(jo_context_message(ctx), "signals.yaml:8: objective 'late'"));
  }
  jo_result_destroy(result);
  if (isnan(end)) {
    assert_int_equal(jo_system_check(ctx, system), status);
    jo_sens_result* r;
    fixture_prepare(f, (jo_system_options){.use = JO_USE_CONTRIBUTIONS});
    assert_int_equal(jo_sens_run(ctx, f->system, NULL, &r), status);
    jo_sens_result_destroy(r);
  }
  jo_system_destroy(system);
  fixture_close(f);
}

static void test_objectives_refuse_windows_that_are_not_part_of_the_run(void** state) {
  (void)state;
  check_window("[from, to]", "0.7", "1.9", NAN, "");
  check_window("[from, to]", "0.5", "2", NAN, "");
  check_window("[from, to]", "1.9", "0.7", NAN, "[1.9, 0.7] s is reversed");
  check_window("[from, to]", "1", "1", NAN, "[1, 1] s is empty");
  check_window("[from, to]", "0.4", "1", NAN, "[0.4, 1] s reaches outside of the run [0.5, 2] s");
  check_window("[from, to]", "1", "2.1", NAN, "[1, 2.1] s reaches outside of the run [0.5, 2] s");
  check_window("[1, 3]", "1", "2", NAN, "[1, 3] s reaches outside of the run [0.5, 2] s");
  check_window("[1, 3]", "1", "2", 3.0, "");
  check_window("[1, 1.8]", "1", "2", 1.7, "[1, 1.8] s reaches outside of the run [0.5, 1.7] s");
}

// d/d from and d/d to of a mean; a window that begins or ends with the run moves inward.
static void check_window_slopes(double a, double b) {
  char rest[256], from[32], to[32];
  snprintf(rest, sizeof rest,
           "objectives: {late: {mean: 1 + t^2, window: [from, to]}}\n"
           "simulation: {start: 0.5, end: 2, tolerance: 1.0e-11}\n");
  snprintf(from, sizeof from, "%.17g", a);
  snprintf(to, sizeof to, "%.17g", b);
  jo_setting set[] = {{"from", from}, {"to", to}};
  fixture* f = open_with(rest, set, 2);
  jo_context* ctx = f->ctx;
  const char* const name[] = {"from", "to"};
  double T = b - a, mean = 1.0 + (b * b * b - a * a * a) / (3.0 * T);
  for (int method = JO_SENS_DIRECT; method <= JO_SENS_ADJOINT; method++) {
    jo_sens_result* r;
    fixture_prepare(f,
                    (jo_system_options){.wrt = name, .nwrt = 2, .method = (jo_sens_method)method});
    assert_ok(ctx, jo_sens_run(ctx, f->system, NULL, &r));
    assert_int_equal(jo_sens_result_statistics(r).method, method);
    assert_near(jo_sens_derivative(r, 0, 0), (mean - (1.0 + a * a)) / T, 1e-9);
    assert_near(jo_sens_derivative(r, 0, 1), ((1.0 + b * b) - mean) / T, 1e-9);
    jo_sens_result_destroy(r);
  }
  fixture_close(f);
}

static void test_objectives_are_differentiated_by_the_ends_of_their_window(void** state) {
  (void)state;
  check_window_slopes(0.7, 1.9);
  check_window_slopes(0.5, 1.9);
  check_window_slopes(0.7, 2.0);
  check_window_slopes(0.5, 2.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_objectives_are_what_their_names_say),
      cmocka_unit_test(test_objectives_see_their_window_only),
      cmocka_unit_test(test_objectives_butterworth_low_pass),
      cmocka_unit_test(test_objectives_weightings_are_those_of_iso_2631),
      cmocka_unit_test(test_objectives_are_differentiated_in_every_form),
      cmocka_unit_test(test_objectives_have_the_duration_of_the_run),
      cmocka_unit_test(test_objectives_have_histories_without_gaps),
      cmocka_unit_test(test_objectives_refuse_windows_that_are_not_part_of_the_run),
      cmocka_unit_test(test_objectives_are_differentiated_by_the_ends_of_their_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
