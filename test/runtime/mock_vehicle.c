// SPDX-License-Identifier: Apache-2.0
// A vehicle for tests of what stands on vehicles: a mass that falls onto a spring, and gets a push at a given time.
// Small enough to be right by reading.
//
//   z' = v,  v' = -g + lift - on stiffness z,  i' = z^2;   on: z < 0;   v jumps by `push` at PUSH_TIME
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/vehicle.h"

#define GRAVITY    9.81  // [m/s^2]
#define PUSH_TIME  0.8   // [s]
#define STEP       2e-4  // [s]
#define HYSTERESIS 1e-13

enum { STIFFNESS, PUSH, LIFT, NNUMBER };
enum { NSTATE = 3, NOUTPUT = 3, CONTACT = 0, PUSHED = 1, NMODE = 2 };

static const jvehicle_number numbers[NNUMBER] = {
    {{"stiffness", "N/m", "of the spring, by mass & \"more\" <than> that"},
     400.0,
     0.0,
     INFINITY,
     false},
    {{"push", "m/s", "change of velocity"}, 0.5, -INFINITY, INFINITY, false},
    {{"lift", "m/s^2", "acceleration upwards"}, 0.0, -100.0, 100.0, true}};
static const jvehicle_quantity states[NSTATE] = {
    {"z", "m", "height"}, {"v", "m/s", "velocity"}, {"integral of z^2", "m^2 s", ""}};
static const int rate_of[NSTATE] = {-1, 0, -1};
static const jvehicle_quantity indicators[NMODE] = {{"contact", "m", "the spring is reached"},
                                                    {"push", "s", "time of the push"}};
static const jvehicle_quantity outputs[NOUTPUT] = {
    {"height", "m", "of the mass"}, {"spring.force on it", "N", "0 above"}, {"v", "furlong/s", ""}};
static const jvehicle_quantity objectives[1] = {{"effort", "m^2 s", "integral of the square"}};

const jvehicle_model jvehicle_exported = {.name = "bouncing mass",
                                          .description = "A mass on a spring & more",
                                          .token = "mock-0001",
                                          .nnumber = NNUMBER,
                                          .nstate = NSTATE,
                                          .nindicator = NMODE,
                                          .noutput = NOUTPUT,
                                          .nobjective = 1,
                                          .number = numbers,
                                          .state = states,
                                          .state_rate_of = rate_of,
                                          .indicator = indicators,
                                          .output = outputs,
                                          .objective = objectives,
                                          .nsensor = 2,
                                          .t_start = 0.0,
                                          .t_end = 2.0};

typedef struct moment {
  double t, x[NSTATE], p[NNUMBER], step;
  bool mode[NMODE];
} moment;

struct jvehicle {
  moment now;
  const char* message;
};

static jo_status fail(jvehicle* v, jo_status status, const char* message) {
  if (!*v->message) v->message = message;
  return status;
}

jvehicle* jvehicle_create(const jvehicle_model* model) {
  (void)model;
  jvehicle* v = (jvehicle*)calloc(1, sizeof *v);
  if (v) jvehicle_reset(v);
  return v;
}

void jvehicle_destroy(jvehicle* v) {
  free(v);
}

const char* jvehicle_message(const jvehicle* v) {
  return v->message;
}

void jvehicle_forget(jvehicle* v) {
  v->message = "";
}

void jvehicle_reset(jvehicle* v) {
  memset(v, 0, sizeof *v);
  v->message = "";
  v->now.step = STEP;
  for (int i = 0; i < NNUMBER; i++)
    v->now.p[i] = numbers[i].value;
}

double* jvehicle_numbers(jvehicle* v) {
  return v->now.p;
}

jo_status jvehicle_set_options(jvehicle* v, int method, double tolerance, double step) {
  (void)tolerance;
  if (method > 3) return fail(v, JO_ERR_ARGUMENT, "no such method #1");
  if (isfinite(step)) v->now.step = step;
  return JO_OK;
}

// ---- equations

static void indicate(const moment* m, double* g) {
  g[CONTACT] = -m->x[0] + (m->mode[CONTACT] ? HYSTERESIS : -HYSTERESIS);
  g[PUSHED] = m->t - PUSH_TIME + (m->mode[PUSHED] ? HYSTERESIS : -HYSTERESIS);
}

static void flow(const moment* m, const double* x, double* xdot) {
  xdot[0] = x[1];
  xdot[1] = -GRAVITY + m->p[LIFT] - (m->mode[CONTACT] ? m->p[STIFFNESS] * x[0] : 0.0);
  xdot[2] = x[0] * x[0];
}

static bool flip(moment* m) {
  double g[NMODE];
  bool jumped = false;
  indicate(m, g);
  m->mode[CONTACT] = g[CONTACT] > 0.0;
  if (g[PUSHED] > 0.0 && !m->mode[PUSHED]) {
    m->x[1] += m->p[PUSH];
    jumped = m->mode[PUSHED] = true;
  }
  return jumped;
}

jo_status jvehicle_touch(jvehicle* v) {
  v->now.mode[CONTACT] = v->now.x[0] < 0.0;
  return JO_OK;
}

jo_status jvehicle_begin(jvehicle* v, double t) {
  const double p = v->now.p[STIFFNESS];
  if (p == 666.0) return fail(v, JO_ERR_CONVERGENCE, "there is no equilibrium");
  v->now.t = t;
  v->now.x[0] = 0.5;
  v->now.x[1] = v->now.x[2] = 0.0;
  v->now.mode[CONTACT] = v->now.mode[PUSHED] = false;
  return JO_OK;
}

double jvehicle_time(const jvehicle* v) {
  return v->now.t;
}

void jvehicle_get_states(const jvehicle* v, double* x) {
  memcpy(x, v->now.x, sizeof v->now.x);
}

jo_status jvehicle_set(jvehicle* v, double t, const double* x) {
  if (x && fabs(x[0]) > 1e6) return fail(v, JO_ERR_NUMERIC, "too high");
  v->now.t = t;
  if (x) memcpy(v->now.x, x, sizeof v->now.x);
  return JO_OK;
}

jo_status jvehicle_rates(jvehicle* v, double* xdot) {
  flow(&v->now, v->now.x, xdot);
  return JO_OK;
}

jo_status jvehicle_indicators(jvehicle* v, double* g) {
  indicate(&v->now, g);
  return JO_OK;
}

jo_status jvehicle_outputs(jvehicle* v, double* out) {
  const moment* m = &v->now;
  out[0] = m->x[0];
  out[1] = m->mode[CONTACT] ? -m->p[STIFFNESS] * m->x[0] : 0.0;
  out[2] = m->x[1];
  return JO_OK;
}

jo_status jvehicle_objectives(jvehicle* v, double* psi) {
  psi[0] = v->now.x[2];
  return JO_OK;
}

jo_status jvehicle_update(jvehicle* v, bool* jumped) {
  *jumped = flip(&v->now);
  return JO_OK;
}

bool jvehicle_has_ended(const jvehicle* v) {
  (void)v;
  return false;
}

// ---- steps

static void step(moment* m, double h) {
  double k[4][NSTATE], x[NSTATE];
  const double c[4] = {0.0, 0.5, 0.5, 1.0};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < NSTATE; i++)
      x[i] = m->x[i] + (s > 0 ? h * c[s] * k[s - 1][i] : 0.0);
    flow(m, x, k[s]);
  }
  for (int i = 0; i < NSTATE; i++)
    m->x[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
  m->t += h;
}

static bool is_due(const moment* m) {
  double g[NMODE];
  indicate(m, g);
  return (g[CONTACT] > 0.0) != m->mode[CONTACT] || (g[PUSHED] > 0.0) != m->mode[PUSHED];
}

// The longest step after which no event is due, and the shortest after which one is: closer than any number.
static double bisect(const moment* from, double h) {
  double low = 0.0, high = h;
  for (int i = 0; i < 80; i++) {
    moment trial = *from;
    double middle = 0.5 * (low + high);
    step(&trial, middle);
    if (is_due(&trial))
      high = middle;
    else
      low = middle;
  }
  return high;
}

jo_status jvehicle_advance(jvehicle* v, double t, bool stop_at_event,
                           jvehicle_advance_result* out) {
  *out = (jvehicle_advance_result){0};
  while (v->now.t < t) {
    double h = fmin(v->now.step, t - v->now.t);
    bool is_last = v->now.t + h >= t;
    moment trial = v->now;
    step(&trial, h);
    if (is_last) trial.t = t;
    bool is_event = is_due(&trial);
    if (is_event) {
      trial = v->now;
      step(&trial, bisect(&v->now, h));
      flip(&trial);
      out->events++;
    }
    v->now = trial;
    if (is_event && stop_at_event) {
      out->is_event = true;
      break;
    }
  }
  out->t = v->now.t;
  return JO_OK;
}

// ---- derivatives

static double of(const double* array, int i) {
  return array ? array[i] : 0.0;
}

jo_status jvehicle_tangent(jvehicle* v, const jvehicle_seed* seed, const jvehicle_slope* slope) {
  const moment* m = &v->now;
  double dz = of(seed->states, 0), dv = of(seed->states, 1), di = of(seed->states, 2);
  double on = m->mode[CONTACT] ? 1.0 : 0.0;
  double dforce = -on * (m->p[STIFFNESS] * dz + m->x[0] * of(seed->numbers, STIFFNESS));
  if (slope->rates) {
    slope->rates[0] = dv;
    slope->rates[1] = dforce + of(seed->numbers, LIFT);
    slope->rates[2] = 2.0 * m->x[0] * dz;
  }
  if (slope->indicators) {
    slope->indicators[CONTACT] = -dz;
    slope->indicators[PUSHED] = of(seed->time, 0);
  }
  if (slope->outputs) {
    slope->outputs[0] = dz;
    slope->outputs[1] = dforce;
    slope->outputs[2] = dv;
  }
  if (slope->objectives) slope->objectives[0] = di;
  return JO_OK;
}

jo_status jvehicle_adjoint(jvehicle* v, const jvehicle_slope* slope, const jvehicle_seed* seed) {
  const moment* m = &v->now;
  double on = m->mode[CONTACT] ? 1.0 : 0.0;
  double force = of(slope->rates, 1) + of(slope->outputs, 1);
  if (seed->states) {
    seed->states[0] = -on * m->p[STIFFNESS] * force + 2.0 * m->x[0] * of(slope->rates, 2) -
                      of(slope->indicators, CONTACT) + of(slope->outputs, 0);
    seed->states[1] = of(slope->rates, 0) + of(slope->outputs, 2);
    seed->states[2] = of(slope->objectives, 0);
  }
  if (seed->numbers) {
    seed->numbers[STIFFNESS] = -on * m->x[0] * force;
    seed->numbers[PUSH] = 0.0;
    seed->numbers[LIFT] = of(slope->rates, 1);
  }
  if (seed->time) *seed->time = of(slope->indicators, PUSHED);
  return JO_OK;
}

// ---- snapshots

size_t jvehicle_snapshot_size(const jvehicle* v) {
  return sizeof v->now;
}

void jvehicle_save(const jvehicle* v, void* snapshot) {
  memcpy(snapshot, &v->now, sizeof v->now);
}

jo_status jvehicle_restore(jvehicle* v, const void* snapshot, size_t size) {
  if (size != sizeof v->now) return fail(v, JO_ERR_ARGUMENT, "not a snapshot of this model");
  memcpy(&v->now, snapshot, size);
  return JO_OK;
}
