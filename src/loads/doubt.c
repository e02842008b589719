// SPDX-License-Identifier: Apache-2.0
// Doubts about impulsive events. A flagged coordinate whose own forces are smooth was flagged because
// another one moves it; docs/theory/loads.md eq. (H6) tells, from the step as it was before the reversal.
#include "loads/doubt.h"

#include <math.h>
#include <string.h>

#include "solve/third_order.h"

typedef struct judge {
  const jloads* l;
  jplant_work* run;
  double** work;
  double *k[3], *F[3], *arg, *W;
  int ny, nu, ne;
  double t, h;  // the step
} judge;

static jo_status begin(judge* j, jo_context* ctx, jarena* a, const double* p) {
  const jgen_dynamics* d = j->l->plant->dynamics;
  j->ny = d->ny;
  j->nu = d->part.nu;
  j->ne = j->l->ne;
  j->work = jplant_kernels_work(a, j->l->kernels);
  bool ok = j->work != NULL;
  for (int i = 0; i < 3; i++) {
    j->k[i] = JARENA_ARRAY(a, j->ny, double);
    j->F[i] = JARENA_ARRAY(a, j->ne, double);
    ok = ok && j->k[i] && j->F[i];
  }
  j->arg = JARENA_ARRAY(a, j->ny, double);
  j->W = JARENA_ARRAY(a, j->nu * j->ne, double);
  if (!ok || !j->arg || !j->W) return jerr_memory(ctx);
  return jplant_work_create(ctx, j->l->plant, p, &j->run);
}

static void call(judge* j, jgen_fn f, double t, const double* y, double* const* out) {
  const double* in[JGEN_GROUP_COUNT] = {JPLANT_INPUTS(j->run, &t, y)};
  const jplant_kernels* k = j->l->kernels;
  jplant_kernels_eval(k, k->of[f], in, out, j->work);
}

static void slope(void* user, int i, double c, const double* y, double* k) {
  judge* j = user;
  call(j, JGEN_FN_RHS_LOADS, j->t + c * j->h, y, (double* const[]){k, j->F[i]});
}

// Forces at the nodes of the plain step from y0.
static void plain_step(judge* j, double t, double h, const double* y0) {
  jsolve_third_order s = {j->ny, slope, j, j->k, j->arg, .in_turn = false};
  j->t = t;
  j->h = h;
  jsolve_third_order_nodes(&s, 0, h, y0);
}

// An element belongs to the coordinate it accelerates most; those of the free joint are none's.
static bool is_own(const judge* j, int e, int coordinate) {
  double own = fabs(j->W[coordinate + e * j->nu]);
  for (int i = 0; i < j->nu; i++) {
    if (!j->l->irreversible[i] && fabs(j->W[i + e * j->nu]) > own) return false;
  }
  return own > 0.0;
}

static bool is_coupled(judge* j, const jloads_event* v, double tolerance) {
  double h = v->event.t1 - v->event.t0, largest = 0.0;
  int c = v->event.which;
  plain_step(j, v->event.t0, h, v->y0);
  call(j, JGEN_FN_DIRECTIONS, v->event.t0, v->y0, (double* const[]){j->W});
  for (int e = 0; e < j->ne; e++) {
    if (!is_own(j, e, c)) continue;
    double d = jsolve_third_order_defect(h, j->F[0][e], j->F[1][e], j->F[2][e]);
    if (!isfinite(d)) return false;
    largest = fmax(largest, fabs(d * j->W[c + e * j->nu]));
  }
  return largest <= tolerance;
}

jo_status jloads_doubts(jo_context* ctx, const jloads* l, const jloads_options* opt,
                        const jloads_result* r, unsigned* doubt) {
  memset(doubt, 0, (size_t)r->nevent * sizeof *doubt);
  if (opt->solve.driver != JLOADS_DRIVER_IMPULSIVE) return JO_OK;
  judge j = {.l = l};
  jarena a;
  jarena_init(&a, ctx);
  bool* was_reversed = JARENA_ARRAY(&a, l->plant->dynamics->part.nu, bool);
  jo_status status = was_reversed ? begin(&j, ctx, &a, opt->p) : jerr_memory(ctx);
  for (int i = 0; status >= 0 && i < r->nevent; i++) {
    const jloads_event* v = &r->event[i];
    if (v->continues) doubt[i] |= JLOADS_DOUBT_CONSECUTIVE;
    if (was_reversed[v->event.which] && !v->continues) doubt[i] |= JLOADS_DOUBT_LATER;
    if (is_coupled(&j, v, opt->solve.tolerance)) doubt[i] |= JLOADS_DOUBT_COUPLING;
    was_reversed[v->event.which] = true;
  }
  jplant_work_destroy(j.run);
  jarena_free(&a);
  return status;
}
