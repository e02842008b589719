// SPDX-License-Identifier: Apache-2.0
// The sub-cycling driver: elements whose force a polynomial over the step does not follow are taken in
// substeps with a frozen mass matrix, the rest as it is. docs/theory/loads.md eqs. (H6)-(H8).
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "loads/driver/run.h"

#define KEEP 0.25  // an element stays in substeps down to this part of the tolerance

// Quadratic through the nodes at 0, 1/2 and 1.
static void node_weights(double s, double w[3]) {
  w[0] = 1.0 - 3.0 * s + 2.0 * s * s;
  w[1] = 4.0 * s - 4.0 * s * s;
  w[2] = 2.0 * s * s - s;
}

// (H6)  velocity error that the polynomial through an element's force leaves in a step
static double element_error(const jloads_driver_work* u, int e, double h) {
  double d = jsolve_third_order_defect(h, u->F[0][e], u->F[1][e], u->F[2][e]);
  return isfinite(d) ? fabs(d) * u->reach[e] : INFINITY;
}

static bool find_stiff(jloads_driver_work* u, double h) {
  bool found = false;
  for (int e = 0; e < u->s->ne; e++) {
    if (u->stiff[e] || element_error(u, e, h) <= u->opt->impulse_tolerance) continue;
    u->stiff[e] = found = true;
  }
  return found;
}

// (H7)  r = qdd - sum over stiff elements of W F, at node i
static void remainder_at(jloads_driver_work* u, int i) {
  const jloads_driver_system* s = u->s;
  for (int j = 0; j < s->nu; j++) {
    u->r[i][j] = u->k[i][s->at_qd + j];
  }
  for (int e = 0; e < s->ne; e++) {
    for (int j = 0; u->stiff[e] && j < s->nu; j++) {
      u->r[i][j] -= u->W[j + e * s->nu] * u->F[i][e];
    }
  }
}

// (H8)  qd' = r(t) + sum W F(y),  q' = qd,  the other states as the nodes have them
static void slow_fast_rhs(jloads_driver_work* u, double h, double s_part, const double* y,
                          double* ydot) {
  const jloads_driver_system* s = u->s;
  double w[3];
  node_weights(s_part, w);
  for (int i = 0; i < s->n; i++) {
    ydot[i] = w[0] * u->k[0][i] + w[1] * u->k[1][i] + w[2] * u->k[2][i];
  }
  for (int j = 0; j < s->nu; j++) {
    ydot[s->at_q + j] = y[s->at_qd + j];
    ydot[s->at_qd + j] = w[0] * u->r[0][j] + w[1] * u->r[1][j] + w[2] * u->r[2][j];
  }
  for (int e = 0; e < s->ne; e++) {
    if (!u->stiff[e]) {
      u->Fs[e] = w[0] * u->F[0][e] + w[1] * u->F[1][e] + w[2] * u->F[2][e];
      continue;
    }
    u->cost += s->element_cost[e];
    u->Fs[e] = s->element(s->user, e, u->t + s_part * h, y);
    for (int j = 0; j < s->nu; j++) {
      ydot[s->at_qd + j] += u->W[j + e * s->nu] * u->Fs[e];
    }
  }
}

static void note_force(jloads_driver_work* u, double t, double dt) {
  for (int e = 0; e < u->s->ne; e++) {
    if (!u->stiff[e]) continue;
    jloads_driver_event* v = &u->open[e];
    v->impulse += u->Fs[e] * dt;
    if (fabs(u->Fs[e]) > fabs(v->peak)) {
      v->peak = u->Fs[e];
      v->t_peak = t;
    }
  }
}

// A substep: where it begins and how long it is, as parts of the step.
typedef struct substep {
  jloads_driver_work* u;
  double h, at, d;
} substep;

static void substep_slope(void* user, int i, double c, const double* y, double* k) {
  const substep* now = user;
  (void)i;
  slow_fast_rhs(now->u, now->h, now->at + c * now->d, y, k);
}

// m substeps over the whole step; the state at its middle is kept on the way
static jo_status substeps(jloads_driver_work* u, double h, int m, bool final) {
  JASSERT(m >= 2 && m % 2 == 0);  // the state at the middle is kept
  int n = u->s->n;
  double d = 1.0 / m, hs = h / m;
  substep now = {u, h, 0.0, d};
  jsolve_third_order s = {n, substep_slope, &now, u->ks, u->ya, .in_turn = false};
  memcpy(u->ys, u->y, (size_t)n * sizeof *u->ys);
  for (int j = 0; j < m; j++) {
    double at = now.at = j * d;
    if (2 * j == m) memcpy(u->y_mid, u->ys, (size_t)n * sizeof *u->ys);
    substep_slope(&now, 0, 0.0, u->ys, u->ks[0]);
    if (final && j > 0) {
      note_force(u, u->t + at * h, hs);
      JO_TRY(jloads_driver_sample(u, u->t + at * h, NULL, u->Fs));
    }
    jsolve_third_order_nodes(&s, 1, hs, u->ys);
    jsolve_third_order_end(&s, hs, u->ys, u->ys);
  }
  memcpy(u->y_end, u->ys, (size_t)n * sizeof *u->ys);
  return JO_OK;
}

int jloads_driver_substep_count(const jloads_driver_work* u, double h) {
  int m = 2 * (int)ceil(0.5 * h / u->opt->substep - 1e-9);
  int most = u->opt->max_substeps - u->opt->max_substeps % 2;
  return m < 2 ? 2 : m > most ? most : m;
}

// The step with some elements in substeps: first with the slow part held, which gives good states for
// the middle and the end; then with the slow part of those states.
static jo_status stiff_step(jloads_driver_work* u, double h) {
  const jloads_driver_system* s = u->s;
  size_t bytes = (size_t)s->n * sizeof(double);
  int m = jloads_driver_substep_count(u, h);
  u->stats.stiff_steps++;
  u->cost += s->directions_cost;
  s->directions(s->user, u->t, u->y, u->W);
  for (int round = 0; round < JLOADS_DRIVER_MAX_ROUNDS; round++) {
    for (int i = 1; i < 3; i++) {
      memcpy(u->k[i], u->k[0], bytes);
      memcpy(u->F[i], u->F[0], (size_t)s->ne * sizeof(double));
    }
    for (int i = 0; i < 3; i++) {
      remainder_at(u, i);
    }
    JO_TRY(substeps(u, h, m, false));
    jloads_driver_evaluate(u, u->t + 0.5 * h, u->y_mid, u->k[1], u->F[1]);
    jloads_driver_evaluate(u, u->t + h, u->y_end, u->k[2], u->F[2]);
    if (!find_stiff(u, h)) break;
  }
  for (int i = 0; i < 3; i++) {
    remainder_at(u, i);
  }
  return JO_OK;
}

jo_status jloads_driver_close_event(jloads_driver_work* u, int i) {
  jloads_driver_event* v = &u->open[i];
  if (v->which < 0) return JO_OK;
  v->t1 = u->t;
  jo_status status = u->obs->event ? u->obs->event(u->obs->user, v, u->open_y[i]) : JO_OK;
  *v = (jloads_driver_event){.which = -1};
  return status;
}

// Elements that join begin an event; those whose polynomial serves again end theirs.
static void open_events(jloads_driver_work* u) {
  for (int e = 0; e < u->s->ne; e++) {
    if (!u->stiff[e] || u->open[e].which >= 0) continue;
    u->open[e] = (jloads_driver_event){.which = e, .t0 = u->t, .peak = u->F[0][e], .t_peak = u->t};
    memcpy(u->open_y[e], u->y, (size_t)u->s->n * sizeof *u->y);
  }
}

static jo_status release(jloads_driver_work* u, double h) {
  for (int e = 0; e < u->s->ne; e++) {
    if (!u->stiff[e] || element_error(u, e, h) > KEEP * u->opt->impulse_tolerance) continue;
    u->stiff[e] = false;
    JO_TRY(jloads_driver_close_event(u, e));
  }
  return JO_OK;
}

static bool any_stiff(const jloads_driver_work* u) {
  for (int e = 0; e < u->s->ne; e++) {
    if (u->stiff[e]) return true;
  }
  return false;
}

jo_status jloads_driver_subcycle_step(jloads_driver_work* u, double h) {
  jloads_driver_evaluate(u, u->t, u->y, u->k[0], u->F[0]);
  JO_TRY(jloads_driver_sample(u, u->t, u->y, u->F[0]));
  if (!any_stiff(u)) {
    jloads_driver_third_order(u, h);
    if (!find_stiff(u, h)) return jloads_driver_accept(u, h);
  }
  JO_TRY(stiff_step(u, h));
  open_events(u);
  memcpy(u->Fs, u->F[0], (size_t)u->s->ne * sizeof *u->Fs);
  note_force(u, u->t, h / jloads_driver_substep_count(u, h));
  JO_TRY(substeps(u, h, jloads_driver_substep_count(u, h), true));
  memcpy(u->y_new, u->y_end, (size_t)u->s->n * sizeof *u->y_new);
  JO_TRY(jloads_driver_accept(u, h));
  return release(u, h);
}
