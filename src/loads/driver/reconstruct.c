// SPDX-License-Identifier: Apache-2.0
// A stiff event again, off line, from the state it began with. docs/theory/loads.md eq. (H10).
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "loads/driver/run.h"
#include "solve/algebra/linear.h"

// (H10)  M_0 x + c(y) = 0: all forces as they are, the mass matrix of the beginning, whose factors are in
// `system`
static void frozen_mass_rhs(jloads_driver_work* u, double t, const double* y, double* ydot) {
  const jloads_driver_system* s = u->s;
  int nu = s->nu;
  memcpy(ydot, u->k[0], (size_t)s->n * sizeof *ydot);
  memcpy(ydot + s->at_q, y + s->at_qd, (size_t)nu * sizeof *ydot);
  s->reduced(s->user, t, y, u->M, u->c);
  for (int i = 0; i < nu; i++) {
    u->x[i] = -u->c[i];
  }
  jsolve_lu_solve(nu, u->system, u->pivot, true, u->x, 1);
  s->finish(s->user, t, y, u->x, ydot + s->at_qd);
}

typedef struct frozen {
  jloads_driver_work* u;
  double t, dt;
} frozen;

static void frozen_slope(void* user, int i, double c, const double* y, double* k) {
  const frozen* now = user;
  (void)i;
  frozen_mass_rhs(now->u, now->t + c * now->dt, y, k);
}

static void watch_peaks(jloads_driver_work* u, double t, double* peak, double* t_peak) {
  const jloads_driver_system* s = u->s;
  for (int e = 0; e < s->ne; e++) {
    double F = s->element(s->user, e, t, u->ys);
    if (fabs(F) <= fabs(peak[e])) continue;
    peak[e] = F;
    t_peak[e] = t;
  }
}

static void reconstruct(jloads_driver_work* u, double t0, int m, double dt, double* peak,
                        double* t_peak) {
  int n = u->s->n;
  frozen now = {u, t0, dt};
  jsolve_third_order s = {n, frozen_slope, &now, u->ks, u->ya, .in_turn = false};
  memcpy(u->ys, u->y, (size_t)n * sizeof *u->ys);
  for (int j = 0; j <= m; j++) {
    double t = t0 + j * dt;
    watch_peaks(u, t, peak, t_peak);
    now.t = t;
    jsolve_third_order_nodes(&s, 0, dt, u->ys);
    jsolve_third_order_end(&s, dt, u->ys, u->ys);
  }
}

jo_status jloads_driver_reconstruct(jo_context* ctx, const jloads_driver_system* s, double t0,
                                    const double* y0, double duration, double dt, double* peak,
                                    double* t_peak) {
  jloads_driver_work u = {.ctx = ctx, .s = s, .t = t0};
  JASSERT(dt > 0.0);
  jarena_init(&u.arena, ctx);
  if (!jloads_driver_allocate(&u)) {
    jarena_free(&u.arena);
    return jerr_memory(ctx);
  }
  memcpy(u.y, y0, (size_t)s->n * sizeof *y0);
  s->rhs(s->user, t0, y0, u.k[0], u.F[0]);
  s->reduced(s->user, t0, y0, u.system, u.c);
  jo_status status = jsolve_lu_factor(s->nu, u.system, u.pivot);
  if (status >= 0) {
    memset(peak, 0, (size_t)s->ne * sizeof *peak);
    reconstruct(&u, t0, (int)ceil(duration / dt), dt, peak, t_peak);
  }
  jarena_free(&u.arena);
  return status < 0 ? jloads_driver_fail_singular(ctx, status, t0) : JO_OK;
}
