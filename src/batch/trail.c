// SPDX-License-Identifier: Apache-2.0
#include "batch/trail.h"

#include <math.h>
#include <string.h>

#include "plant/check/limits.h"

// ---- memory ----------------------------------------------------------------------------------------

// As many states as a run keeps at most. Of the vehicle alone: results must not depend on how many are at work.
static int count_room(const jbatch* b) {
  double bytes = (1.0 + b->rule.ny) * sizeof(double);
  double fit = 0.25 * jplant_memory_limit(b->sens->plant->model) / bytes;
  return (int)fmin(b->opt.run.max_states, fit);
}

// What closures depend on besides their dependent coordinates.
static void set_closures(const jbatch* b, jbatch_back* back) {
  const jgen_dynamics* d = b->dynamics;
  const jgen_span *u = &d->layout.block[JGEN_QU], *z = &d->layout.block[JGEN_Z];
  back->first_u = u->first;
  back->nu = u->n;
  back->first_z = z->first;
  back->nz = d->drives_by_states ? z->n : 0;
}

jo_status jbatch_trails_begin(jbatch_trails* k, jo_context* ctx, jarena* a, const jbatch* b) {
  *k = (jbatch_trails){.ctx = ctx, .b = b, .max_steps = count_room(b)};
  k->back.nw = b->nw;
  set_closures(b, &k->back);
  size_t n = (size_t)b->march->carve_back(&k->back, &b->rule, NULL);
  double* store = jplant_kernels_vector(a, n);
  if (!store) return jerr_memory(ctx);
  b->march->carve_back(&k->back, &b->rule, store);
  for (int l = 0; l < b->march->lanes; l++) {
    k->S0[l] = JARENA_ARRAY(a, (int64_t)b->rule.ny * b->nw, double);
    if (!k->S0[l]) return jerr_memory(ctx);
  }
  return JO_OK;
}

void jbatch_trails_free(jbatch_trails* k) {
  for (int l = 0; l < JBATCH_MOST_LANES; l++) {
    jmem_free(k->ctx, k->of[l].step);
    jmem_free(k->ctx, k->of[l].flip);
  }
}

// ---- the way ---------------------------------------------------------------------------------------

void jbatch_trails_start(jbatch_trails* k, int l, const double* S) {
  k->of[l].nstep = k->of[l].nflip = 0;
  if (S) memcpy(k->S0[l], S, (size_t)k->b->rule.ny * (size_t)k->b->nw * sizeof *S);
}

bool jbatch_trails_step(jbatch_trails* k, const jbatch_group* g, int l) {
  jbatch_trail* t = &k->of[l];
  int L = k->b->march->lanes, ny = k->b->rule.ny;
  size_t width = (size_t)ny + 1;
  if (t->nstep >= k->max_steps) return false;
  if (!jmem_grow(k->ctx, &t->step, &t->step_cap, t->nstep + 1, width * sizeof *t->step)) {
    k->status = JO_ERR_MEMORY;
    return false;
  }
  double* to = t->step + (size_t)t->nstep++ * width;
  to[0] = g->lane[l].t;
  for (int i = 0; i < ny; i++) {
    to[1 + i] = g->y[i * L + l];
  }
  return true;
}

bool jbatch_trails_flip(jbatch_trails* k, const jbatch_group* g, int l, int which, int kind) {
  jbatch_trail* t = &k->of[l];
  const jbatch_lane* a = &g->lane[l];
  if (!jmem_grow(k->ctx, &t->flip, &t->flip_cap, t->nflip + 1, sizeof *t->flip)) {
    k->status = JO_ERR_MEMORY;
    return false;
  }
  double margin = fabs(g->start[which * k->b->march->lanes + l]), dt = a->t - a->t_before;
  t->flip[t->nflip++] = (jbatch_flip){t->nstep, which, kind, dt > 0.0 ? margin / dt : INFINITY};
  return true;
}

// ---- and back --------------------------------------------------------------------------------------

jo_status jbatch_trails_walk(jbatch_trails* k, jbatch_group* g) {
  if (k->status < 0) return jerr_memory(k->ctx);
  k->back.trail = k->of;
  k->b->march->back(g, &k->back);
  return JO_OK;
}

void jbatch_trails_gradient(const jbatch_trails* k, int l, double* gradient) {
  const jbatch* b = k->b;
  const int L = b->march->lanes, ny = b->rule.ny, nw = b->nw;
  for (int o = 0; o < b->nobjective; o++) {
    const double* lambda = k->back.lambda + (int64_t)o * ny * L + l;
    const double* pbar = k->back.pbar + (int64_t)o * nw * L + l;
    for (int j = 0; j < nw; j++) {
      const double* S0 = k->S0[l] + (int64_t)j * ny;
      double sum = 0.0;
      for (int i = 0; i < ny; i++) {
        sum += lambda[i * L] * S0[i];
      }
      gradient[o * nw + j] = pbar[j * L] + sum;
    }
  }
}
