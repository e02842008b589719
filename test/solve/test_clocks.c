// SPDX-License-Identifier: Apache-2.0
// Conditions of time whose bounds are known have all their events located, however short their pulses are.
#include "solve/event/clocks.h"

#include "solve/problems.h"

#define PI 3.14159265358979323846

// A switch that is on while sin(w t + phase) > level; the state counts the time it is.
typedef struct train {
  double w, phase, level;
  double mode[1];
  int n;  // events
} train;

static void train_rhs(void* user, double t, const double* y, double* f) {
  (void)t;
  (void)y;
  f[0] = ((train*)user)->mode[0];
}

static void train_switches(void* user, double t, const double* y, double* g) {
  const train* p = user;
  (void)y;
  g[0] = sin(p->w * t + p->phase) - p->level;
}

static jo_status count(void* user, const jsolve_event* e, const double* before,
                       const double* after) {
  (void)before;
  (void)after;
  ((train*)user)->n += e->rising;
  return JO_OK;
}

// The same as a program of its parameters.
static const int train_code[] = {
    JSOLVE_ENCLOSE_TIME,      0, 0, 0, JSOLVE_ENCLOSE_PARAMETER, 0, 0, 0,
    JSOLVE_ENCLOSE_PARAMETER, 1, 0, 0, JSOLVE_ENCLOSE_PARAMETER, 2, 0, 0,
    JSOLVE_ENCLOSE_MUL,       0, 1, 0, JSOLVE_ENCLOSE_ADD,       4, 2, 0,
    JSOLVE_ENCLOSE_SIN,       5, 0, 0, JSOLVE_ENCLOSE_SUB,       6, 3, 0};
static const int train_which[] = {0}, train_value[] = {7};
static const bool no[] = {false};
static const jsolve_enclosure train_bounds = {.n = 8,
                                              .code = train_code,
                                              .nwatch = 1,
                                              .which = train_which,
                                              .value = train_value,
                                              .has_states = no,
                                              .is_whole = no};

static jo_status run(jo_context* ctx, train* p, const jsolve_options* o, double t0, double t1,
                     double* on) {
  double parameter[] = {p->w, p->phase, p->level};
  jsolve_system s = {.n = 1,
                     .user = p,
                     .rhs = train_rhs,
                     .nswitch = 1,
                     .switches = train_switches,
                     .mode = p->mode,
                     .enclosure = &train_bounds,
                     .p = parameter};
  jsolve_observer obs = {.user = p, .event = count};
  double scratch[1];
  *on = 0;
  jsolve_set_modes(&s, t0, on, scratch);
  return jsolve_integrate(ctx, &s, o, &obs, t0, t1, on, NULL, NULL);
}

static void test_clocks_count_every_pulse(void** state) {
  static const jsolve_method method[] = {JSOLVE_DOPRI5, JSOLVE_RK4, JSOLVE_RK2};
  for (int i = 0; i < 90; i++) {
    double rate = 1e4 * pow(10, i % 30 / 12.0), duty = 0.05 * pow(10, -(i % 7) / 2.0);
    double t0 = i % 2 ? 1.25 : 0, span = 50.3 / rate;
    train p = {.w = 2 * PI * rate,
               .phase = -PI * fmod(2 * rate * t0, 2) + 0.1 * i,
               .level = cos(PI * duty)};
    jsolve_options o = fixed(method[i % 3], span / 2);
    double on, a = asin(p.level);
    assert_ok(context(state), run(context(state), &p, &o, t0, t0 + span, &on));
    double turns = floor((p.w * (t0 + span) + p.phase - a) / (2 * PI)) -
                   floor((p.w * t0 + p.phase - a) / (2 * PI));
    assert_int_equal(p.n, (int)turns);
    // up to what is cut off at the ends
    assert_near(on, turns * duty / rate, duty / rate + 1e-11);
  }
}

static void test_clocks_of_slow_conditions_cost_no_steps(void** state) {
  train p = {.w = 2 * PI, .level = 0.5};
  jsolve_options o = fixed(JSOLVE_RK4, 0.01);
  double on;
  assert_ok(context(state), run(context(state), &p, &o, 0, 3, &on));
  assert_int_equal(p.n, 3);
  assert_near(on, 1, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_clocks_count_every_pulse),
      fixture_test(test_clocks_of_slow_conditions_cost_no_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
