// SPDX-License-Identifier: Apache-2.0
// The impulsive driver as published: coordinates with too large an error are reversed over one step, the
// step is computed again. docs/theory/loads.md eq. (H9) and where it should not be trusted.
#include <math.h>
#include <string.h>

#include "loads/driver/run.h"
#include "solve/algebra/linear.h"

// (H9)  accelerations of the reversed coordinates are prescribed; the others follow from their rows of
// M x + c = 0, and the rows of the reversed ones give the forces that do it
static jo_status prescribed_rhs(jloads_driver_work* u, double t, const double* y, double* ydot,
                                double* F, double* push) {
  const jloads_driver_system* s = u->s;
  int nu = s->nu, m = 0, *others = u->others;
  double *b = u->rest, *D = u->system;
  jloads_driver_evaluate(u, t, y, ydot, F);
  u->cost += s->reduced_cost;
  s->reduced(s->user, t, y, u->M, u->c);
  for (int i = 0; i < nu; i++) {
    if (!u->reversed[i]) others[m++] = i;
    u->x[i] = u->prescribed[i];
  }
  for (int i = 0; i < m; i++) {
    b[i] = -u->c[others[i]];
    for (int j = 0; j < nu; j++) {
      if (u->reversed[j]) b[i] -= u->M[others[i] * nu + j] * u->prescribed[j];
    }
    for (int j = 0; j < m; j++) {
      D[i * m + j] = u->M[others[i] * nu + others[j]];
    }
  }
  JO_TRY(jsolve_lu_factor(m, D, u->pivot));
  jsolve_lu_solve(m, D, u->pivot, true, b, 1);
  for (int i = 0; i < m; i++) {
    u->x[others[i]] = b[i];
  }
  for (int i = 0; i < nu; i++) {
    push[i] = 0.0;
    if (!u->reversed[i]) continue;
    push[i] = u->c[i];
    for (int j = 0; j < nu; j++) {
      push[i] += u->M[i * nu + j] * u->x[j];
    }
  }
  s->finish(s->user, t, y, u->x, u->qdd);
  memcpy(ydot + s->at_qd, u->qdd, (size_t)nu * sizeof *ydot);
  return JO_OK;
}

static void prescribed_slope(void* user, int i, double c, const double* y, double* k) {
  jloads_driver_work* u = user;
  jo_status status = prescribed_rhs(u, u->t + c * u->h, y, k, u->F[i], u->push[i]);
  if (status < 0) u->solved = status;
}

static bool find_reversed(jloads_driver_work* u) {
  const jloads_driver_system* s = u->s;
  bool found = false;
  for (int i = 0; i < s->nu; i++) {
    if (u->reversed[i] || (s->irreversible && s->irreversible[i])) continue;
    double eq = fabs(u->error[s->at_q + i]), ev = fabs(u->error[s->at_qd + i]);
    if (eq <= u->opt->tolerance && ev <= u->opt->tolerance) continue;
    u->reversed[i] = found = true;
  }
  return found;
}

static jo_status prescribed_step(jloads_driver_work* u, double h) {
  for (int i = 0; i < u->s->nu; i++) {
    double v = u->y[u->s->at_qd + i];
    u->prescribed[i] = u->reversed[i] ? -(1.0 + u->opt->restitution) * v / h : 0.0;
  }
  jsolve_third_order s = {u->s->n, prescribed_slope, u, u->k, u->arg, .in_turn = true};
  u->h = h;
  u->solved = JO_OK;
  jsolve_third_order_nodes(&s, 0, h, u->y);
  if (u->solved < 0) return jloads_driver_fail_singular(u->ctx, u->solved, u->t);
  jsolve_third_order_end(&s, h, u->y, u->y_new);
  jsolve_third_order_error(&s, h, u->error);
  return JO_OK;
}

static jo_status report_reversals(jloads_driver_work* u, double h) {
  for (int i = 0; i < u->s->nu; i++) {
    if (!u->reversed[i]) continue;
    double impulse = jsolve_third_order_sum(h, u->push[0][i], u->push[1][i], u->push[2][i]);
    jloads_driver_event v = {.which = i, .t0 = u->t, .t1 = u->t + h, .impulse = impulse};
    if (u->obs->event) JO_TRY(u->obs->event(u->obs->user, &v, u->y));
  }
  return JO_OK;
}

jo_status jloads_driver_impulsive_step(jloads_driver_work* u, double h) {
  jloads_driver_evaluate(u, u->t, u->y, u->k[0], u->F[0]);
  JO_TRY(jloads_driver_sample(u, u->t, u->y, u->F[0]));
  jloads_driver_third_order(u, h);
  memset(u->reversed, 0, (size_t)u->s->nu * sizeof *u->reversed);
  bool stiff = false;
  for (int i = 0; i < u->s->nu && find_reversed(u); i++) {
    stiff = true;
    JO_TRY(prescribed_step(u, h));
  }
  if (stiff) {
    u->stats.stiff_steps++;
    JO_TRY(report_reversals(u, h));
  }
  return jloads_driver_accept(u, h);
}
