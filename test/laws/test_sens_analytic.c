// SPDX-License-Identifier: Apache-2.0
// Sensitivities through events against solutions that are known: in closed form, piece by piece, or
// by an integration of the textbook equation. Both are evaluated in complex numbers, the imaginary part
// of a parameter being tiny: what comes out as imaginary part is the derivative, rounding apart, the
// motion of every event time included, since those are found in complex numbers, too. With real
// event times held fixed the same functions give the frozen derivatives.
#include "support/gradient.h"

// after the others, which use the name I for inertias
#include <complex.h>

typedef double complex cplx;

#define TINY          1e-30  // imaginary step: its square vanishes beside one
#define ORDER         20     // points of the Gauss rule
#define PANELS        24
#define PIECES        4
#define MAX_NUMBERS   8
#define MAX_OBJECTIVE 4

// Objectives of a model by its numbers. `held`: event times of the nominal motion, NULL: they move.
typedef void (*oracle)(const cplx* p, const double* held, cplx* psi);

typedef struct subject {
  const char* path;
  int n, nobjective, nevent;
  const char* number[MAX_NUMBERS];
  oracle psi;
  void (*nominal)(const double* p, double* times);
} subject;

// ---- pieces of closed form -------------------------------------------------------------------------

// From t0 to t1: free fall with acceleration a, or a damped oscillation about x_rest.
typedef struct piece {
  cplx t0, t1, x, v;  // state at t0
  bool oscillates;
  cplx a, x_rest, delta, omega;
} piece;

typedef struct motion {
  cplx x, v, a, t;
} motion;

static motion at(const piece* k, cplx t) {
  cplx s = t - k->t0;
  if (!k->oscillates)
    return (motion){k->x + k->v * s + 0.5 * k->a * s * s, k->v + k->a * s, k->a, t};
  cplx A = k->x - k->x_rest, B = (k->v + k->delta * A) / k->omega;
  cplx e = cexp(-k->delta * s), C = ccos(k->omega * s), S = csin(k->omega * s);
  cplx x = e * (A * C + B * S), v = -k->delta * x + k->omega * e * (B * C - A * S);
  cplx a = -2.0 * k->delta * v - (k->delta * k->delta + k->omega * k->omega) * x;
  return (motion){x + k->x_rest, v, a, t};
}

static piece oscillation(cplx t0, cplx x, cplx v, cplx m, cplx k, cplx c, cplx x_rest) {
  cplx delta = c / (2.0 * m);
  return (piece){.t0 = t0,
                 .x = x,
                 .v = v,
                 .oscillates = true,
                 .x_rest = x_rest,
                 .delta = delta,
                 .omega = csqrt(k / m - delta * delta)};
}

// Points and weights of Gauss and Legendre on [-1, 1].
static void gauss(double* x, double* w) {
  for (int i = 0; i < ORDER; i++) {
    double z = cos(acos(-1.0) * (i + 0.75) / (ORDER + 0.5)), dp = 1.0;
    for (int step = 0; step < 30; step++) {
      double p0 = 1.0, p1 = z;
      for (int j = 2; j <= ORDER; j++) {
        double p2 = ((2 * j - 1) * z * p1 - (j - 1) * p0) / j;
        p0 = p1;
        p1 = p2;
      }
      dp = ORDER * (z * p1 - p0) / (z * z - 1.0);
      z -= p1 / dp;
    }
    x[i] = z;
    w[i] = 2.0 / ((1.0 - z * z) * dp * dp);
  }
}

typedef cplx (*integrand)(const motion* m, const cplx* p, int piece);

static cplx integral(const piece* k, int n, integrand f, const cplx* p) {
  double x[ORDER], w[ORDER];
  gauss(x, w);
  cplx sum = 0.0;
  for (int i = 0; i < n; i++) {
    cplx h = (k[i].t1 - k[i].t0) / PANELS;
    for (int j = 0; j < PANELS * ORDER; j++) {
      motion m = at(&k[i], k[i].t0 + h * (j / ORDER + 0.5 + 0.5 * x[j % ORDER]));
      sum += 0.5 * h * w[j % ORDER] * f(&m, p, i);
    }
  }
  return sum;
}

// ---- a mass that bounces on a step -------------------------------------------------------------------

enum { B_M, B_K, B_C, B_H, B_V0, B_Z0, B_G };
#define BOUNCE_END 0.7

static piece bounce_fall(const cplx* p) {
  return (piece){.x = p[B_Z0], .v = p[B_V0], .a = -p[B_G]};
}

static cplx touch_down(const cplx* p) {
  return (p[B_V0] + csqrt(p[B_V0] * p[B_V0] + 2.0 * p[B_G] * (p[B_Z0] - p[B_H]))) / p[B_G];
}

static piece bounce_contact(const cplx* p, const piece* fall) {
  motion m = at(fall, fall->t1);
  return oscillation(fall->t1, m.x, m.v, p[B_M], p[B_K], p[B_C], p[B_H] - p[B_M] * p[B_G] / p[B_K]);
}

// Newton from half a period of the contact on
static cplx lift_off(const cplx* p, const piece* contact) {
  cplx t = contact->t0 + acos(-1.0) / creal(contact->omega);
  for (int i = 0; i < 40; i++) {
    motion m = at(contact, t);
    t -= (m.x - p[B_H]) / m.v;
  }
  return t;
}

static cplx kinetic(const motion* m, const cplx* p, int i) {
  (void)p;
  (void)i;
  return 0.5 * m->v * m->v;
}

static cplx acceleration_squared(const motion* m, const cplx* p, int i) {
  (void)p;
  (void)i;
  return m->a * m->a;
}

static cplx place_by_time(const motion* m, const cplx* p, int i) {
  (void)p;
  (void)i;
  return m->x * m->x * m->t;
}

static void bounce_pieces(const cplx* p, const double* held, piece* k) {
  k[0] = bounce_fall(p);
  k[0].t1 = held ? held[0] : touch_down(p);
  k[1] = bounce_contact(p, &k[0]);
  k[1].t1 = held ? held[1] : lift_off(p, &k[1]);
  motion m = at(&k[1], k[1].t1);
  k[2] = (piece){.t0 = k[1].t1, .t1 = BOUNCE_END, .x = m.x, .v = m.v, .a = -p[B_G]};
}

static void bounce(const cplx* p, const double* held, cplx* psi) {
  piece k[PIECES];
  bounce_pieces(p, held, k);
  motion end = at(&k[2], BOUNCE_END);
  psi[0] = end.x;
  psi[1] = integral(k, 3, kinetic, p);
  psi[2] = csqrt(integral(k, 3, acceleration_squared, p) / BOUNCE_END);
  psi[3] = integral(k, 3, place_by_time, p) + end.v;
}

static void bounce_nominal(const double* p, double* times) {
  cplx q[MAX_NUMBERS];
  piece k[PIECES];
  for (int i = 0; i < 7; i++) {
    q[i] = p[i];
  }
  bounce_pieces(q, NULL, k);
  times[0] = creal(k[0].t1);
  times[1] = creal(k[1].t1);
}

// ---- a load that meets a step of the road ------------------------------------------------------------

enum { S_M, S_K, S_C, S_H, S_X0, S_V, S_LIFT };
#define STEP_END 1.1

static cplx spring_squared(const motion* m, const cplx* p, int i) {
  cplx stretch = m->x - (i == 0 ? 0.0 : p[S_H]);
  return p[S_K] * p[S_K] * stretch * stretch;
}

static cplx place(const motion* m, const cplx* p, int i) {
  (void)p;
  (void)i;
  return m->x;
}

static void step(const cplx* p, const double* held, cplx* psi) {
  cplx t = held ? held[0] : p[S_X0] / p[S_V];
  piece k[PIECES] = {oscillation(0.0, p[S_LIFT], 0.0, p[S_M], p[S_K], p[S_C], 0.0)};
  k[0].t1 = t;
  motion m = at(&k[0], t);
  k[1] = oscillation(t, m.x, m.v, p[S_M], p[S_K], p[S_C], p[S_H]);
  k[1].t1 = STEP_END;
  psi[0] = at(&k[1], STEP_END).x;
  psi[1] = integral(k, 2, spring_squared, p);
  psi[2] = csqrt(integral(k, 2, acceleration_squared, p) / STEP_END);
  m = at(&k[1], 0.5);
  piece window = oscillation(0.5, m.x, m.v, p[S_M], p[S_K], p[S_C], p[S_H]);
  window.t1 = 0.9;
  psi[3] = integral(&window, 1, place, p) / 0.4;
}

static void step_nominal(const double* p, double* times) {
  times[0] = p[S_X0] / p[S_V];
}

// ---- textbook equations, integrated ------------------------------------------------------------------

#define STATES 4
#define GRID   1e-4  // [s]: with 22 rad/s the fourth order leaves less than 1e-12

typedef void (*textbook)(cplx t, const cplx* y, const cplx* p, bool on, cplx* f);

static void rk4(textbook f, cplx t, cplx* y, const cplx* p, bool on, cplx h) {
  cplx k[4][STATES], z[STATES];
  static const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1, 2, 2, 1};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < STATES; i++) {
      z[i] = y[i] + (s ? h * part[s] * k[s - 1][i] : 0.0);
    }
    f(t + part[s] * h, z, p, on, k[s]);
  }
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < STATES; i++) {
      y[i] += h * weight[s] / 6.0 * k[s][i];
    }
  }
}

// From t to t1 in steps of about GRID, of complex length when t1 - t is complex.
static void integrate(textbook f, cplx t, cplx t1, cplx* y, const cplx* p, bool on) {
  int n = (int)ceil(creal(t1 - t) / GRID);
  for (int i = 0; i < n; i++) {
    rk4(f, t + (t1 - t) * i / n, y, p, on, (t1 - t) / n);
  }
}

enum { P_M, P_L, P_G, P_K, P_C, P_STOP, P_START, P_RATE };
#define PENDULUM_END    3.0
#define PENDULUM_EVENTS 6

static void pendulum_equation(cplx t, const cplx* y, const cplx* p, bool on, cplx* f) {
  (void)t;
  cplx torque = on ? p[P_K] * (p[P_STOP] - y[0]) - p[P_C] * y[1] : 0.0;
  f[0] = y[1];
  f[1] = -p[P_G] / p[P_L] * csin(y[0]) + torque / (p[P_M] * p[P_L] * p[P_L]);
  f[2] = y[0] * y[0];
  f[3] = f[1] * f[1];
}

// To the nominal time of the event, and on by the little that is missing to the real one.
static cplx pendulum_to_stop(cplx t, double nominal, cplx* y, const cplx* p, bool on, bool held) {
  integrate(pendulum_equation, t, nominal, y, p, on);
  t = nominal;
  for (int i = 0; !held && i < 6; i++) {
    cplx h = (p[P_STOP] - y[0]) / y[1];
    rk4(pendulum_equation, t, y, p, on, h);
    t += h;
  }
  return t;
}

static double pendulum_time[PENDULUM_EVENTS];  // set once by pendulum_nominal

static void pendulum(const cplx* p, const double* held, cplx* psi) {
  cplx y[STATES] = {p[P_START], p[P_RATE]}, t = 0.0;
  bool on = false;
  for (int e = 0; e < PENDULUM_EVENTS; e++, on = !on) {
    t = pendulum_to_stop(t, pendulum_time[e], y, p, on, held != NULL);
  }
  integrate(pendulum_equation, t, PENDULUM_END, y, p, on);
  psi[0] = y[0];
  psi[1] = y[2];
  psi[2] = csqrt(y[3] / PENDULUM_END);
}

static void pendulum_nominal(const double* value, double* times) {
  cplx p[MAX_NUMBERS], y[STATES], t = 0.0;
  for (int i = 0; i < MAX_NUMBERS; i++) {
    p[i] = value[i];
  }
  memcpy(y, (cplx[STATES]){p[P_START], p[P_RATE]}, sizeof y);
  bool on = false;
  int n = 0;
  while (creal(t) < PENDULUM_END) {
    rk4(pendulum_equation, t, y, p, on, GRID);
    t += GRID;
    if ((creal(y[0]) < value[P_STOP]) == on) continue;
    assert_true(n < PENDULUM_EVENTS);
    t = pendulum_to_stop(t, creal(t), y, p, on, false);
    pendulum_time[n] = times[n] = creal(t);
    on = !on;
    n++;
  }
  assert_int_equal(n, PENDULUM_EVENTS);
}

enum { C_M, C_L, C_G, C_C, C_T0, C_V, C_D, C_START };
#define CART_END 2.0

static cplx tip(cplx t, cplx angle, const cplx* p, bool on) {
  return (on ? p[C_D] + p[C_V] * (t - p[C_T0]) : 0.0) + p[C_L] * csin(angle);
}

static void cart_equation(cplx t, const cplx* y, const cplx* p, bool on, cplx* f) {
  cplx x = tip(t, y[0], p, on);
  f[0] = y[1];
  f[1] = -p[C_G] / p[C_L] * csin(y[0]) - p[C_C] * y[1] / (p[C_M] * p[C_L] * p[C_L]);
  f[2] = x * x;
  f[3] = f[1] * f[1];
}

// The momentum m l^2 a' + m l cos(a) s' stays when s' jumps from zero to V.
static void cart(const cplx* p, const double* held, cplx* psi) {
  cplx y[STATES] = {p[C_START]}, t = held ? held[0] : p[C_T0];
  integrate(cart_equation, 0.0, t, y, p, false);
  y[1] -= p[C_V] * ccos(y[0]) / p[C_L];
  integrate(cart_equation, t, CART_END, y, p, true);
  psi[0] = y[0];
  psi[1] = y[2];
  psi[2] = csqrt(y[3] / CART_END);
}

static void cart_nominal(const double* p, double* times) {
  times[0] = p[C_T0];
}

// ---- laws --------------------------------------------------------------------------------------------

static const subject subjects[] = {
    {"test/models/sens_bounce.yaml",
     7,
     4,
     2,
     {"m", "k", "c", "h", "v0", "z0", "g"},
     bounce,
     bounce_nominal},
    {"test/models/sens_step.yaml",
     7,
     4,
     3,
     {"m", "k", "c", "H", "x0", "v", "lift"},
     step,
     step_nominal},
    {"test/models/sens_pendulum.yaml",
     8,
     3,
     PENDULUM_EVENTS,
     {"m", "l", "g", "k", "c", "stop", "start", "rate"},
     pendulum,
     pendulum_nominal},
    {"test/models/sens_cart.yaml",
     8,
     3,
     1,
     {"m", "l", "g", "c", "t0", "V", "d", "start"},
     cart,
     cart_nominal},
};

typedef struct answer {
  double value[MAX_OBJECTIVE], gradient[MAX_OBJECTIVE][MAX_NUMBERS], times[PENDULUM_EVENTS];
} answer;

static void numbers_of(const gradient* g, double* p) {
  for (int i = 0; i < g->n; i++) {
    p[i] = g->p[g->at[i]];
  }
}

static answer ask(const subject* s, const gradient* g, bool frozen) {
  answer a;
  double p[MAX_NUMBERS] = {0};
  cplx q[MAX_NUMBERS] = {0}, psi[MAX_OBJECTIVE];
  numbers_of(g, p);
  s->nominal(p, a.times);
  for (int j = 0; j < s->n; j++) {
    for (int i = 0; i < s->n; i++) {
      q[i] = p[i];
    }
    q[j] += TINY * I;
    s->psi(q, frozen ? a.times : NULL, psi);
    for (int o = 0; o < s->nobjective; o++) {
      a.value[o] = creal(psi[o]);
      a.gradient[o][j] = cimag(psi[o]) / TINY;
    }
  }
  return a;
}

static void open_subject(const subject* s, gradient* g) {
  gradient_open(g, s->path, NULL, 0, s->number, s->n, JKERNEL_INTERP);
  assert_int_equal(g->nobjective, s->nobjective);
}

// Derivatives of an objective by unlike numbers are compared by what they do to it: a change of each
// number by its own size.
static double scale_of(const answer* a, const double* p, int o, int n, int j) {
  double most = fabs(a->value[o]);
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a->gradient[o][i] * p[i]));
  }
  return most / fabs(p[j]);
}

static void compare(const subject* s, jsens_method method, bool frozen, double tolerance) {
  gradient g;
  open_subject(s, &g);
  double p[MAX_NUMBERS];
  numbers_of(&g, p);
  answer a = ask(s, &g, frozen);
  jsens_result* r = gradient_run(&g, method, frozen);
  for (int o = 0; o < s->nobjective; o++) {
    assert_near(r->value[o], a.value[o], tolerance * fmax(fabs(a.value[o]), 1e-3));
    for (int j = 0; j < s->n; j++) {
      double scale = scale_of(&a, p, o, s->n, j);
      assert_near(r->gradient[o * s->n + j], a.gradient[o][j], tolerance * scale);
    }
  }
  jsens_result_destroy(r);
  gradient_close(&g);
}

// tolerance: ten times the largest difference seen; runs are integrated with 1e-12 per step
static void test_exact_gradient_is_that_of_the_solution(void** state) {
  compare(*state, JSENS_DIRECT, false, 1e-9);
  compare(*state, JSENS_ADJOINT, false, 1e-9);
}

static void test_frozen_gradient_is_that_of_the_solution_with_held_events(void** state) {
  compare(*state, JSENS_DIRECT, true, 1e-9);
  compare(*state, JSENS_ADJOINT, true, 1e-9);
}

// Or the frozen tests would say nothing of events.
static void test_frozen_and_exact_differ(void** state) {
  const subject* s = *state;
  gradient g;
  open_subject(s, &g);
  answer exact = ask(s, &g, false), frozen = ask(s, &g, true);
  int differing = 0;
  for (int o = 0; o < s->nobjective; o++) {
    for (int j = 0; j < s->n; j++) {
      double a = exact.gradient[o][j], b = frozen.gradient[o][j];
      differing += fabs(a - b) > 1e-3 * fabs(a);
    }
  }
  assert_true(differing >= s->nobjective);
  gradient_close(&g);
}

static void test_direct_is_adjoint(void** state) {
  const subject* s = *state;
  gradient g;
  open_subject(s, &g);
  for (int frozen = 0; frozen < 2; frozen++) {
    jsens_result* d = gradient_run(&g, JSENS_DIRECT, frozen);
    jsens_result* a = gradient_run(&g, JSENS_ADJOINT, frozen);
    for (int i = 0; i < s->n * s->nobjective; i++) {
      assert_near(a->gradient[i], d->gradient[i], 1e-11 * fmax(fabs(d->gradient[i]), 1e-3));
    }
    jsens_result_destroy(d);
    jsens_result_destroy(a);
  }
  gradient_close(&g);
}

// The third witness: runs with other numbers.
static void test_exact_gradient_is_that_of_differences(void** state) {
  const subject* s = *state;
  gradient g;
  open_subject(s, &g);
  double p[MAX_NUMBERS], d[GRADIENT_MAX];
  numbers_of(&g, p);
  answer a = ask(s, &g, false);
  jsens_result* r = gradient_run(&g, JSENS_DIRECT, false);
  for (int j = 0; j < s->n; j++) {
    gradient_difference_one(&g, j, 4e-3 * fabs(p[j]), 3, d);
    for (int o = 0; o < s->nobjective; o++) {
      double scale = scale_of(&a, p, o, s->n, j);
      assert_near(d[o], r->gradient[o * s->n + j], 1e-7 * scale);
    }
  }
  jsens_result_destroy(r);
  gradient_close(&g);
}

// Times of the events and, direct method, their derivatives: d t / d p = -(g_y S + g_p) / g'.
static void test_event_times_move_as_in_the_solution(void** state) {
  const subject* s = &subjects[0];
  (void)state;
  gradient g;
  open_subject(s, &g);
  answer a = ask(s, &g, false);
  jsens_result* r = gradient_run(&g, JSENS_DIRECT, false);
  assert_int_equal(r->nevent, 2);
  double p[MAX_NUMBERS];
  numbers_of(&g, p);
  for (int e = 0; e < 2; e++) {
    assert_near(r->event[e].t, a.times[e], 1e-11);
    for (int j = 0; j < s->n; j++) {
      cplx q[MAX_NUMBERS];
      piece k[PIECES];
      for (int i = 0; i < s->n; i++) {
        q[i] = p[i];
      }
      q[j] += TINY * I;
      bounce_pieces(q, NULL, k);
      assert_near(r->event[e].dt[j], cimag(k[e].t1) / TINY, 1e-9 / fabs(p[j]));
    }
  }
  jsens_result_destroy(r);
  gradient_close(&g);
}

// What an event adds: weight of its time, as the frozen run sees it, times the motion of that time.
static void test_exact_less_frozen_is_the_sum_over_events(void** state) {
  const subject* s = *state;
  gradient g;
  open_subject(s, &g);
  jsens_result* exact = gradient_run(&g, JSENS_DIRECT, false);
  jsens_result* frozen = gradient_run(&g, JSENS_ADJOINT, true);
  assert_int_equal(exact->nevent, s->nevent);
  assert_int_equal(frozen->nevent, s->nevent);
  for (int o = 0; o < s->nobjective; o++) {
    for (int j = 0; j < s->n; j++) {
      double sum = frozen->gradient[o * s->n + j];
      for (int e = 0; e < s->nevent; e++) {
        sum += frozen->event[e].weight[o] * exact->event[e].dt[j];
      }
      double d = exact->gradient[o * s->n + j];
      assert_near(sum, d, 1e-9 * fmax(fabs(d), 1.0));
    }
  }
  jsens_result_destroy(exact);
  jsens_result_destroy(frozen);
  gradient_close(&g);
}

#define LAWS(name, i)                                                                              \
  {name ": exact gradient is that of the solution", test_exact_gradient_is_that_of_the_solution,   \
   NULL, NULL, (void*)&subjects[i]},                                                               \
      {name ": frozen gradient is that of held events",                                            \
       test_frozen_gradient_is_that_of_the_solution_with_held_events, NULL, NULL,                  \
       (void*)&subjects[i]},                                                                       \
      {name ": frozen and exact differ", test_frozen_and_exact_differ, NULL, NULL,                 \
       (void*)&subjects[i]},                                                                       \
      {name ": direct is adjoint", test_direct_is_adjoint, NULL, NULL, (void*)&subjects[i]},       \
      {name ": exact gradient is that of differences", test_exact_gradient_is_that_of_differences, \
       NULL, NULL, (void*)&subjects[i]},                                                           \
  {                                                                                                \
    name ": exact less frozen is the sum over events",                                             \
        test_exact_less_frozen_is_the_sum_over_events, NULL, NULL, (void*)&subjects[i]             \
  }

int main(void) {
  const struct CMUnitTest tests[] = {LAWS("bounce", 0), LAWS("step", 1), LAWS("pendulum", 2),
                                     LAWS("cart", 3),
                                     cmocka_unit_test(test_event_times_move_as_in_the_solution)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
