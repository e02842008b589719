// SPDX-License-Identifier: Apache-2.0
// Events come at their times, all of them and only those, and leave the accuracy as it is.
#include "solve/event/events.h"

#include "solve/problems.h"

static const jsolve_method explicit_methods[] = {JSOLVE_RK2, JSOLVE_RK3, JSOLVE_RK4, JSOLVE_DOPRI5};
enum { NEXPLICIT = 4 };

static void test_events_bouncing_ball_times(void** state) {
  // constant acceleration: every method is exact, so the times show the location alone
  for (int i = 0; i < NEXPLICIT; i++) {
    ball b = {0.8, {1}};
    jsolve_system s = ball_system(&b);
    event_log log = {.nstate = 2};
    jsolve_observer obs = {.user = &log, .event = log_event};
    jsolve_options o = fixed(explicit_methods[i], 0.1);
    double y[2] = {5, 0};
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, 0, 6, y, NULL, NULL));
    // falls for 1 s, then flights of 2 * 0.8^k s
    double t = 1, v = 10;
    int touches = 0;
    for (int k = 0; k < log.n; k++) {
      if (log.event[k].rising) continue;
      assert_near(log.event[k].t, t, 1e-11);
      assert_near(log.before[k], -v, 1e-10);
      assert_near(log.after[k], 0.8 * v, 1e-10);
      v *= 0.8;
      t += 2 * v / 10;
      touches++;
    }
    assert_int_equal(touches, 5);
    // every touch is left again, at once
    assert_int_equal(log.n, 2 * touches);
    for (int k = 0; k + 1 < log.n; k += 2) {
      assert_true(!log.event[k].rising && log.event[k + 1].rising);
      assert_near(log.event[k + 1].t, log.event[k].t, 1e-10);
    }
    // where it is in the end
    double left = 6 - (t - 2 * v / 10);
    assert_near(y[0], v * left - 5 * left * left, 1e-9);
    assert_near(y[1], v - 10 * left, 1e-9);
  }
}

static void test_events_that_accumulate_stop_the_run(void** state) {
  for (int i = 0; i < NEXPLICIT; i++) {
    for (int k = 1; k < 10; k++) {
      jo_context* ctx = context(state);
      double e = 0.1 * k, t, y[2] = {5, 0};
      ball b = {e, {1}};
      jsolve_system s = ball_system(&b);
      jsolve_options o = fixed(explicit_methods[i], 0.01 + 0.1 * k);
      assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 100, y, &t, NULL), JO_ERR_LIMIT);
      assert_non_null(strstr(jo_context_message(ctx), "events of switch 0 accumulate at t = "));
      // falls for 1 s, then flights of 2 e^k s: what is left is of the order of the last one
      assert_near(t, 1 + 2 * e / (1 - e), 1e-5 / (1 - e));
      assert_near(y[0], 0, 1e-6);
      jo_context_clear(ctx);
    }
  }
}

static void test_events_are_delayed_on_request(void** state) {
  // location itself is at most one tolerance late, and rounding is a tenth of it
  double t[2][2];
  for (int i = 0; i < 2; i++) {
    ball b = {0.8, {1}};
    jsolve_system s = ball_system(&b);
    event_log log = {.nstate = 2};
    jsolve_observer obs = {.user = &log, .event = log_event};
    jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-8);
    o.event_delay = 3 * i;
    double y[2] = {1.25, 0};
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, 0, 1, y, NULL, NULL));
    assert_int_equal(log.n, 2);
    for (int k = 0; k < 2; k++)
      t[i][k] = log.event[k].t;
  }
  assert_true(t[0][0] >= 0.5 - 1e-14 && t[0][0] <= 0.5 + 1.1e-13);
  assert_true(t[1][0] >= 0.5 + 2.9e-13 && t[1][0] <= 0.5 + 4.1e-13);
  // what follows from an event is delayed, too
  assert_true(t[1][1] - t[0][1] >= 2.9e-13);
}

// Slower than 0.1 m/s the ball stays where it is, without weight.
static jo_status rest_event(void* user, double t, double* y, const int* flipped, int n) {
  ball* b = user;
  double v = y[1];
  JO_TRY(ball_event(user, t, y, flipped, n));
  if (b->mode[0] < 0.5 && v > -0.1) y[1] = 0;
  return JO_OK;
}

static void rest_rhs(void* user, double t, const double* y, double* f) {
  ball* b = user;
  ball_rhs(user, t, y, f);
  if (b->mode[0] < 0.5 && y[1] == 0) f[1] = 0;
}

static void test_events_of_a_ball_that_comes_to_rest_end(void** state) {
  for (int i = 0; i < NEXPLICIT; i++) {
    ball b = {0.8, {1}};
    jsolve_system s = ball_system(&b);
    s.event = rest_event;
    s.rhs = rest_rhs;
    jsolve_options o = fixed(explicit_methods[i], 0.1);
    double y[2] = {5, 0};
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, NULL, 0, 100, y, NULL, NULL));
    assert_near(y[0], 0, 1e-10);
    assert_near(y[1], 0, 0);
  }
}

// y' = 3 t^2 from a time on.
typedef struct timed {
  double t_switch[2];
  double mode[2];
  int n;
} timed;

static void timed_rhs(void* user, double t, const double* y, double* f) {
  timed* p = user;
  (void)t;
  (void)y;
  f[0] = p->mode[0] > 0.5 ? 3 * t * t : 0;
}

static void timed_switches(void* user, double t, const double* y, double* g) {
  timed* p = user;
  (void)y;
  g[0] = t - p->t_switch[0];
  if (p->n > 1) g[1] = 7 * (p->t_switch[1] - t);
}

static jsolve_system timed_system(timed* p, int nswitch) {
  p->n = nswitch;
  return (jsolve_system){.n = 1,
                         .user = p,
                         .rhs = timed_rhs,
                         .nswitch = nswitch,
                         .switches = timed_switches,
                         .mode = p->mode};
}

static void test_events_time_switches_are_exact(void** state) {
  for (int i = JSOLVE_RK3 - JSOLVE_RK2; i < NEXPLICIT; i++) {
    for (int k = 1; k < 20; k++) {
      timed p = {.t_switch = {0.137 * k + 0.01}};
      jsolve_system s = timed_system(&p, 1);
      event_log log = {.nstate = 1};
      jsolve_observer obs = {.user = &log, .event = log_event};
      jsolve_options o = fixed(explicit_methods[i], 0.1);
      double y[1] = {0};
      assert_ok(context(state),
                jsolve_integrate(context(state), &s, &o, &obs, 0, 3, y, NULL, NULL));
      assert_int_equal(log.n, 1);
      assert_near(log.event[0].t, p.t_switch[0], 1e-15);
      assert_true(log.event[0].rising);
      // order three and more integrate t^2 exactly on both sides
      assert_near(y[0], 27 - pow(p.t_switch[0], 3), 1e-12);
    }
  }
}

static void test_events_switch_on_the_grid_needs_no_extra_step(void** state) {
  timed p = {.t_switch = {0.5}};
  jsolve_system s = timed_system(&p, 1);
  jsolve_options o = fixed(JSOLVE_RK4, 0.125);
  jsolve_statistics stats;
  double y[1] = {0};
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 1, y, NULL, &stats));
  assert_int_equal(stats.steps, 8);
  assert_int_equal(stats.events, 1);
  assert_near(y[0], 1 - 0.125, 1e-15);
}

static jo_status count_calls(void* user, double t, double* y, const int* flipped, int n) {
  (void)user;
  (void)t;
  (void)flipped;
  y[0] += 1000 * n;
  return JO_OK;
}

static void test_events_at_the_same_instant_come_together(void** state) {
  for (int i = 0; i < NEXPLICIT; i++) {
    timed p = {.t_switch = {1.0 / 3, 1.0 / 3}, .mode = {0, 1}};
    jsolve_system s = timed_system(&p, 2);
    s.event = count_calls;
    event_log log = {.nstate = 1};
    jsolve_observer obs = {.user = &log, .event = log_event};
    jsolve_options o = fixed(explicit_methods[i], 0.1);
    double y[1] = {0};
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, 0, 1, y, NULL, NULL));
    assert_int_equal(log.n, 2);
    assert_true(log.event[0].t == log.event[1].t);
    assert_int_equal(log.event[0].which, 0);
    assert_int_equal(log.event[1].which, 1);
    assert_true(log.event[0].rising && !log.event[1].rising);
    assert_near(log.after[0], 2000, 0.2);
  }
}

// Three switches in a row: time sets off 0; 1 looks at mode 0, 2 at mode 1.
static void cascade_switches(void* user, double t, const double* y, double* g) {
  const double* mode = user;
  (void)y;
  g[0] = t - 0.25;
  g[1] = mode[0] - 0.5;
  g[2] = 0.5 - mode[1];
}

static void zero_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  (void)t;
  (void)y;
  f[0] = 0;
}

static void test_events_cascade_at_one_instant(void** state) {
  double mode[3] = {0, 0, 1};
  jsolve_system s = {.n = 1,
                     .user = mode,
                     .rhs = zero_rhs,
                     .nswitch = 3,
                     .switches = cascade_switches,
                     .mode = mode};
  event_log log = {.nstate = 1};
  jsolve_observer obs = {.user = &log, .event = log_event};
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-6);
  double y[1] = {0};
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, 0, 1, y, NULL, NULL));
  assert_int_equal(log.n, 3);
  for (int k = 0; k < 3; k++) {
    assert_int_equal(log.event[k].which, k);
    assert_near(log.event[k].t, 0.25, 1e-15);
  }
  assert_true(mode[0] == 1 && mode[1] == 1 && mode[2] == 0);
}

static void test_events_set_modes_settles_chains(void** state) {
  (void)state;
  double mode[3] = {0, 0, 1}, scratch[3], y[1] = {0};
  jsolve_system s = {
      .n = 1, .user = mode, .nswitch = 3, .switches = cascade_switches, .mode = mode};
  jsolve_set_modes(&s, 0.5, y, scratch);
  assert_true(mode[0] == 1 && mode[1] == 1 && mode[2] == 0);
}

// A sine that touches or crosses a level: y = (sin, cos), g = level - y0.
typedef struct wave {
  double level;
  double mode[1];
} wave;

static void wave_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  (void)t;
  f[0] = y[1];
  f[1] = -y[0];
}

static void wave_switches(void* user, double t, const double* y, double* g) {
  wave* w = user;
  (void)t;
  g[0] = w->level - y[0];
}

static jsolve_system wave_system(wave* w) {
  return (jsolve_system){
      .n = 2, .user = w, .rhs = wave_rhs, .nswitch = 1, .switches = wave_switches, .mode = w->mode};
}

static void parabola_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  (void)y;
  f[0] = 1 - 2 * t;
}

static void test_events_double_crossing_inside_a_step(void** state) {
  // y = t - t^2 is above 0.2 between its two crossings, inside of one step from 0 to 1
  for (int i = 0; i < NEXPLICIT; i++) {
    wave w = {0.2, {1}};
    jsolve_system s = wave_system(&w);
    s.n = 1;
    s.rhs = parabola_rhs;
    event_log log = {.nstate = 1};
    jsolve_observer obs = {.user = &log, .event = log_event};
    jsolve_options o = fixed(explicit_methods[i], 1);
    double y[1] = {0};
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, 0, 1, y, NULL, NULL));
    assert_int_equal(log.n, 2);
    assert_near(log.event[0].t, (1 - sqrt(0.2)) / 2, 1e-13);
    assert_near(log.event[1].t, (1 + sqrt(0.2)) / 2, 1e-13);
    assert_true(!log.event[0].rising && log.event[1].rising);
  }
}

static void test_events_state_is_as_accurate_as_the_integrator(void** state) {
  // crossing times of sin t = 0.5 against the accuracy of the states, not of the dense output
  wave w = {0.5, {1}};
  jsolve_system s = wave_system(&w);
  event_log log = {.nstate = 2};
  jsolve_observer obs = {.user = &log, .event = log_event};
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-12);
  double y[2] = {0, 1}, pi = acos(-1);
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, 0, 20, y, NULL, NULL));
  assert_int_equal(log.n, 7);
  for (int k = 0; k < log.n; k++) {
    double t = k / 2 * 2 * pi + (k % 2 ? 5 * pi / 6 : pi / 6);
    assert_near(log.event[k].t, t, 1e-10);
    assert_near(log.before[k], cos(t), 1e-10);
  }
  assert_near(y[0], sin(20), 1e-10);
}

// Many levels of one wave: y = (sin, cos), g_k = +- (level_k - y0).
typedef struct levels {
  double level[8], mode[8];
} levels;

static void levels_switches(void* user, double t, const double* y, double* g) {
  levels* l = user;
  (void)t;
  for (int k = 0; k < 8; k++)
    g[k] = (k % 2 ? -1 : 1) * (l->level[k] - y[0]);
}

static double next_random(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

// Nearest time at which sin t = level.
static double nearest_crossing(double level, double t) {
  double pi = acos(-1), best = INFINITY;
  for (int turn = -1; turn < 8; turn++) {
    double rise = asin(level) + 2 * pi * turn, fall = (2 * turn + 1) * pi - asin(level);
    if (fabs(rise - t) < fabs(best - t)) best = rise;
    if (fabs(fall - t) < fabs(best - t)) best = fall;
  }
  return best;
}

static void test_events_random_levels_are_all_crossed(void** state) {
  uint64_t seed = 7;
  double pi = acos(-1);
  int64_t in_steps = 0, in_events = 0, events = 0;
  for (int round = 0; round < 50; round++) {
    levels l = {0};
    double y[2] = {-1, 0}, scratch[8], start = -pi / 2;
    for (int k = 0; k < 8; k++)
      l.level[k] = 1.98 * next_random(&seed) - 0.99;
    jsolve_system s = {.n = 2,
                       .user = &l,
                       .rhs = wave_rhs,
                       .nswitch = 8,
                       .switches = levels_switches,
                       .mode = l.mode};
    jsolve_set_modes(&s, start, y, scratch);
    event_log log = {.nstate = 2};
    jsolve_observer obs = {.user = &log, .event = log_event};
    jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-11);
    jsolve_statistics stats;
    // three turns: every level twice a turn
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, start, start + 6 * pi,
                                               y, NULL, &stats));
    in_steps += 6 * (stats.steps + stats.rejected);
    in_events += stats.evaluations - 6 * (stats.steps + stats.rejected);
    events += stats.events;
    assert_int_equal(log.n, 3 * 2 * 8);
    for (int i = 0; i < log.n; i++) {
      const jsolve_event* e = &log.event[i];
      // crossings near the crests are shallow: errors of the states count by 1 / cos t
      double t = nearest_crossing(l.level[e->which], e->t);
      assert_near(e->t, t, 1e-9 / fabs(cos(t)));
      assert_true(i == 0 || e->t >= log.event[i - 1].t);
      // sin rises through the level: the margin of an even switch falls
      assert_true(e->rising == ((cos(t) > 0) == (e->which % 2 == 1)));
    }
  }
  // an event takes two or three steps of five slopes each, the slope at its end and that of the next step
  assert_true(in_steps > 0 && in_events < 16 * events);
}

// A level that only the dense output crosses is no event, and leaves the run as it would be without.
static void test_events_that_are_none_leave_no_trace(void** state) {
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-4);
  wave plain = {9, {1}};
  jsolve_system without = wave_system(&plain);
  without.nswitch = 0;
  double y0[2] = {0, 1};
  jsolve_statistics base;
  assert_ok(context(state),
            jsolve_integrate(context(state), &without, &o, NULL, 0, 20, y0, NULL, &base));
  int suspected = 0;
  for (int i = 0; i < 400; i++) {
    wave w = {1 + 5e-7 * (i - 200), {1}};
    jsolve_system s = wave_system(&w);
    double y[2] = {0, 1};
    jsolve_statistics stats;
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, NULL, 0, 20, y, NULL, &stats));
    if (stats.events > 0) continue;
    suspected += stats.evaluations > base.evaluations;
    assert_memory_equal(y, y0, sizeof y);
    assert_int_equal(stats.steps, base.steps);
  }
  assert_true(suspected > 0);
}

static void test_events_order_holds_through_events(void** state) {
  // without location the error would be of order one
  double error[2];
  for (int i = 0; i < 2; i++) {
    timed p = {.t_switch = {0.6180339887}};
    jsolve_system s = timed_system(&p, 1);
    jsolve_options o = fixed(JSOLVE_RK2, i ? 0.005 : 0.02);
    double y[1] = {0};
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 2, y, NULL, NULL));
    error[i] = fabs(y[0] - (8 - pow(p.t_switch[0], 3)));
  }
  assert_near(observed_order(error[0], error[1], 4), 2, 0.1);
}

static void test_events_grazing_ends_in_the_mode_it_came_from(void** state) {
  // levels a hair above, at and below the crest: nothing or a pair of events, never a stray one
  double offset[] = {1e-6, 1e-9, 1e-12, 0, -1e-12, -1e-9, -1e-6};
  for (int i = 0; i < 7; i++) {
    wave w = {1 + offset[i], {1}};
    jsolve_system s = wave_system(&w);
    event_log log = {.nstate = 2};
    jsolve_observer obs = {.user = &log, .event = log_event};
    jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-10);
    double y[2] = {0, 1};
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, 0, 5, y, NULL, NULL));
    assert_int_equal(log.n % 2, 0);
    assert_true(log.n <= 2);
    assert_true(w.mode[0] == 1);
    assert_near(y[0], sin(5), 1e-8);
  }
}

static void test_events_contact_at_rest_makes_none(void** state) {
  // g = 0 at the start and for ever
  wave w = {0, {1}};
  jsolve_system s = wave_system(&w);
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-8);
  jsolve_statistics stats;
  double y[2] = {0, 0};
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 10, y, NULL, &stats));
  assert_int_equal(stats.events, 0);
}

static void test_events_wrong_initial_mode_flips_first(void** state) {
  wave w = {0.5, {0}};
  jsolve_system s = wave_system(&w);
  event_log log = {.nstate = 2};
  jsolve_observer obs = {.user = &log, .event = log_event};
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-8);
  double y[2] = {0, 1};
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, 0, 0.1, y, NULL, NULL));
  assert_int_equal(log.n, 1);
  assert_near(log.event[0].t, 0, 0);
  assert_true(log.event[0].rising);
}

static void chatter_rhs(void* user, double t, const double* y, double* f) {
  const double* mode = user;
  (void)t;
  (void)y;
  f[0] = mode[1] > 0.5 ? -1 : 1;  // always back through zero
}

static void chatter_switches(void* user, double t, const double* y, double* g) {
  (void)user;
  g[0] = 100 - t;
  g[1] = y[0];
}

static void test_events_chatter_is_reported(void** state) {
  for (int i = 0; i < NEXPLICIT; i++) {
    jo_context* ctx = context(state);
    double mode[2] = {1, 1};
    jsolve_system s = {.n = 1,
                       .user = mode,
                       .rhs = chatter_rhs,
                       .nswitch = 2,
                       .switches = chatter_switches,
                       .mode = mode};
    jsolve_options o = fixed(explicit_methods[i], 0.1);
    o.max_events = 200;
    double y[1] = {0.5}, t;
    assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 10, y, &t, NULL), JO_ERR_LIMIT);
    assert_non_null(strstr(jo_context_message(ctx), "switch 1 "));
    assert_non_null(strstr(jo_context_message(ctx), "t = 0.5"));
    assert_near(t, 0.5, 1e-6);
    jo_context_clear(ctx);
  }
}

static void test_events_are_left_alone_on_request(void** state) {
  wave w = {0.5, {1}};
  jsolve_system s = wave_system(&w);
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-8);
  o.locate_events = false;
  jsolve_statistics stats;
  double y[2] = {0, 1};
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 3, y, NULL, &stats));
  assert_int_equal(stats.events, 0);
  assert_true(w.mode[0] == 1);
}

typedef struct step_log {
  int n;
  double t, worst;
} step_log;

static jo_status log_wave_step(void* user, const jsolve_step* s) {
  step_log* log = user;
  double y[2];
  assert_true(s->t0 == log->t && s->t1 > s->t0);
  for (int i = 0; i <= 4; i++) {
    double t = s->t0 + (s->t1 - s->t0) * i / 4;
    jsolve_interpolate(s, t, y);
    log->worst = fmax(log->worst, fabs(y[0] - sin(t)));
  }
  log->t = s->t1;
  log->n++;
  return JO_OK;
}

static void test_events_cut_steps_have_dense_output(void** state) {
  for (int i = 2; i < NEXPLICIT; i++) {
    wave w = {0.5, {1}};
    jsolve_system s = wave_system(&w);
    step_log log = {0};
    jsolve_observer obs = {.user = &log, .step = log_wave_step};
    jsolve_options o = fixed(explicit_methods[i], 0.02);
    o.rel_tol = o.abs_tol = 1e-8;
    jsolve_statistics stats;
    double y[2] = {0, 1};
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, &obs, 0, 3, y, NULL, &stats));
    assert_near(log.t, 3, 0);
    assert_int_equal(log.n, stats.steps);
    assert_true(log.worst < 1e-7);
    // a fixed-step run has its grid, and one more step for each cut
    if (explicit_methods[i] == JSOLVE_RK4) assert_int_equal(stats.steps, 150 + stats.events);
  }
}

static void test_events_repeat_to_the_bit_without_growing_memory(void** state) {
  fixture* x = *state;
  double y[2][2];
  long calls[3];
  for (int i = 0; i < 3; i++) {
    ball b = {0.9, {1}};
    jsolve_system s = ball_system(&b);
    jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-8);
    double z[2] = {5, 0};
    long before = x->memory.calls;
    assert_ok(x->ctx, jsolve_integrate(x->ctx, &s, &o, NULL, 0, i < 2 ? 10 : 0.5, z, NULL, NULL));
    calls[i] = x->memory.calls - before;
    if (i < 2) memcpy(y[i], z, sizeof z);
  }
  assert_memory_equal(y[0], y[1], sizeof y[0]);
  assert_int_equal(calls[0], calls[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_events_bouncing_ball_times),
      fixture_test(test_events_are_delayed_on_request),
      fixture_test(test_events_that_accumulate_stop_the_run),
      fixture_test(test_events_of_a_ball_that_comes_to_rest_end),
      fixture_test(test_events_time_switches_are_exact),
      fixture_test(test_events_switch_on_the_grid_needs_no_extra_step),
      fixture_test(test_events_at_the_same_instant_come_together),
      fixture_test(test_events_cascade_at_one_instant),
      fixture_test(test_events_set_modes_settles_chains),
      fixture_test(test_events_double_crossing_inside_a_step),
      fixture_test(test_events_state_is_as_accurate_as_the_integrator),
      fixture_test(test_events_random_levels_are_all_crossed),
      fixture_test(test_events_that_are_none_leave_no_trace),
      fixture_test(test_events_order_holds_through_events),
      fixture_test(test_events_grazing_ends_in_the_mode_it_came_from),
      fixture_test(test_events_contact_at_rest_makes_none),
      fixture_test(test_events_wrong_initial_mode_flips_first),
      fixture_test(test_events_chatter_is_reported),
      fixture_test(test_events_are_left_alone_on_request),
      fixture_test(test_events_cut_steps_have_dense_output),
      fixture_test(test_events_repeat_to_the_bit_without_growing_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
