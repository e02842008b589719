// SPDX-License-Identifier: Apache-2.0
// What the load drivers share: storage, one step of the rule, acceptance.
#include "loads/driver/run.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "solve/ode.h"

double* jloads_driver_vector(jloads_driver_work* u, int n) {
  return JARENA_ARRAY(&u->arena, n, double);
}

bool jloads_driver_allocate(jloads_driver_work* u) {
  const jloads_driver_system* s = u->s;
  int n = s->n, nu = s->nu, ne = s->ne, most = ne > nu ? ne : nu;
  JASSERT(s->at_q >= 0 && s->at_q + nu <= n && s->at_qd >= 0 && s->at_qd + nu <= n);
  double** array[] = {&u->y,     &u->arg,  &u->y_new, &u->error, &u->ys,    &u->ya,    &u->y_mid,
                      &u->y_end, &u->k[0], &u->k[1],  &u->k[2],  &u->ks[0], &u->ks[1], &u->ks[2]};
  bool ok = true;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = jloads_driver_vector(u, n);
    ok = ok && *array[i];
  }
  double** small[] = {&u->F[0], &u->F[1],       &u->F[2],    &u->reach,   &u->Fs,
                      &u->r[0], &u->r[1],       &u->r[2],    &u->c,       &u->x,
                      &u->qdd,  &u->prescribed, &u->push[0], &u->push[1], &u->push[2]};
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    *small[i] = jloads_driver_vector(u, most);
    ok = ok && *small[i];
  }
  u->W = jloads_driver_vector(u, nu * ne);
  u->M = jloads_driver_vector(u, nu * nu);
  u->system = jloads_driver_vector(u, nu * nu);
  u->rest = jloads_driver_vector(u, nu);
  u->others = JARENA_ARRAY(&u->arena, nu, int);
  u->pivot = JARENA_ARRAY(&u->arena, nu, int);
  u->stiff = JARENA_ARRAY(&u->arena, most, bool);
  u->reversed = JARENA_ARRAY(&u->arena, most, bool);
  u->open = JARENA_ARRAY(&u->arena, most, jloads_driver_event);
  u->open_y = JARENA_ARRAY(&u->arena, most, double*);
  ok = ok && u->W && u->M && u->system && u->rest && u->others && u->pivot && u->stiff &&
       u->reversed && u->open && u->open_y;
  for (int i = 0; ok && i < most; i++) {
    u->open[i].which = -1;
    u->open_y[i] = jloads_driver_vector(u, n);
    ok = u->open_y[i] != NULL;
  }
  return ok;
}

void jloads_driver_evaluate(jloads_driver_work* u, double t, const double* y, double* ydot,
                            double* F) {
  u->cost += 1.0;
  u->s->rhs(u->s->user, t, y, ydot, F);
}

static void slope(void* user, int i, double c, const double* y, double* k) {
  jloads_driver_work* u = user;
  jloads_driver_evaluate(u, u->t + c * u->h, y, k, u->F[i]);
}

void jloads_driver_third_order(jloads_driver_work* u, double h) {
  jsolve_third_order s = {u->s->n, slope, u, u->k, u->arg, .in_turn = true};
  u->h = h;
  jsolve_third_order_nodes(&s, 1, h, u->y);
  jsolve_third_order_end(&s, h, u->y, u->y_new);
  jsolve_third_order_error(&s, h, u->error);
}

static bool finite(const double* x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * 0.0;
  }
  return sum == 0.0;
}

static jo_status fail_not_finite(jloads_driver_work* u, double t) {
  int i = 0;
  while (i + 1 < u->s->n && isfinite(u->y_new[i])) {
    i++;
  }
  char label[JSOLVE_LABEL];
  return jerr_set(u->ctx, JO_ERR_NUMERIC,
                  "load prediction: %s is not finite at t = %.9g; the step is too long for a "
                  "stiff event (hint: driver subcycle, or a higher rate)",
                  jsolve_label(u->s->state_name, "state", i, label), t);
}

jo_status jloads_driver_fail_singular(jo_context* ctx, jo_status status, double t) {
  return jerr_set(ctx, status,
                  "load prediction: the mass matrix is singular or not finite at t = %.9g (hint: "
                  "driver subcycle needs none)",
                  t);
}

jo_status jloads_driver_sample(jloads_driver_work* u, double t, const double* y, const double* F) {
  return u->obs->sample ? u->obs->sample(u->obs->user, t, y, F) : JO_OK;
}

jo_status jloads_driver_accept(jloads_driver_work* u, double h) {
  if (!finite(u->y_new, u->s->n)) return fail_not_finite(u, u->t + h);
  u->t += h;
  memcpy(u->y, u->y_new, (size_t)u->s->n * sizeof *u->y);
  u->stats.steps++;
  u->stats.evaluations += u->cost;
  if (u->cost > u->stats.worst_step) u->stats.worst_step = u->cost;
  u->cost = 0.0;
  return u->s->project ? u->s->project(u->s->user, u->t, u->y) : JO_OK;
}
