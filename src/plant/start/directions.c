// SPDX-License-Identifier: Apache-2.0
#include "plant/start/directions.h"

#include <string.h>

enum { IN_DP = 7 };  // group of the numbers' directions

static jo_status allocate(jo_context* ctx, jarena* a, jplant_directions* d) {
  const jgen_position* p = d->p;
  int nr = p->nh + p->ninitial, nq = p->nq;
  double** array[] = {&d->t,  &d->q,  &d->qd, &d->dq, &d->dqd, &d->dp,
                      &d->r1, &d->r2, &d->dz, &d->ds, &d->dsd, &d->dguess};
  int size[] = {1, nq, nq, nq, nq, d->nw, nr, nr, p->nz, p->nd, p->nd, nq};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(a, size[i] * JPLANT_LANES, double);
    if (!*array[i]) return jerr_memory(ctx);
  }
  d->is_used = JARENA_ARRAY(a, d->nw, bool);
  d->work = JARENA_ARRAY(a, jexpr_tape_work(d->tape, JPLANT_LANES), double);
  return d->is_used && d->work ? JO_OK : jerr_memory(ctx);
}

jo_status jplant_directions_begin(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                                  int nw, double t, jplant_directions* out) {
  jplant_directions d = {.p = p->position, .tape = &p->position->tapes.tangent, .nw = nw};
  d.values = values ? values : p->position->p;
  JO_TRY(allocate(ctx, a, &d));
  jexpr_tape_init(d.tape, JPLANT_LANES, d.work);
  for (int i = 0; i < d.tape->n; i++) {
    const jexpr_ins* ins = &d.tape->ins[i];
    if (ins->op == JEXPR_INPUT && ins->a == IN_DP) d.is_used[ins->b] = true;
  }
  for (int l = 0; l < JPLANT_LANES; l++) {
    d.t[l] = t;
  }
  *out = d;
  return JO_OK;
}

void jplant_directions_place(jplant_directions* d, const double* q, const double* qd) {
  for (int l = 0; l < JPLANT_LANES; l++) {
    jplant_directions_put(d->q, l, d->p->nq, q);
    jplant_directions_put(d->qd, l, d->p->nq, qd);
  }
}

bool jplant_directions_next(jplant_directions* d, bool all, int* from) {
  for (int l = 0; l < d->n; l++) {
    d->dp[d->number[l] * JPLANT_LANES + l] = 0.0;
  }
  d->n = 0;
  for (; *from < d->nw && d->n < JPLANT_LANES; ++*from) {
    if (!all && !d->is_used[*from]) continue;
    d->dp[*from * JPLANT_LANES + d->n] = 1.0;
    d->number[d->n++] = *from;
  }
  return d->n > 0;
}

void jplant_directions_eval(jplant_directions* d) {
  const double* in[8] = {d->values, d->t, d->q, NULL, d->qd, d->dq, d->dqd, d->dp};
  double* out[6] = {d->r1, d->r2, d->dz, d->ds, d->dsd, d->dguess};
  jexpr_tape_eval(d->tape, JPLANT_LANES, in, out, d->work);
}

void jplant_directions_put(double* lanes, int lane, int n, const double* v) {
  for (int i = 0; i < n; i++) {
    lanes[i * JPLANT_LANES + lane] = v ? v[i] : 0.0;
  }
}

void jplant_directions_get(const double* lanes, int lane, int n, double* v) {
  for (int i = 0; i < n; i++) {
    v[i] = lanes[i * JPLANT_LANES + lane];
  }
}
