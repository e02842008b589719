// SPDX-License-Identifier: Apache-2.0
// Errors of the direct method: the embedded method's error of every step, what it says of the step itself,
// and what becomes of it until the end. docs/theory/sensitivity.md eqs. (S15), (S16).
#include <assert.h>
#include <math.h>
#include <string.h>

#include "sens/tangent.h"

#define MAX_TRACE 2000000  // steps and numbers whose errors are kept one by one

static bool allocate_traces(jsens_direct* d) {
  jsens_walk* w = d->w;
  d->ntrace = (int64_t)w->nw * w->record->nentry <= MAX_TRACE ? w->nw : 1;
  d->trace = JARENA_ARRAY(&w->arena, d->ntrace, jsens_trace);
  for (int k = 0; d->trace && k < d->ntrace; k++) {
    if (!jsens_trace_begin(w, &d->trace[k])) return false;
  }
  return d->trace != NULL;
}

bool jsens_direct_begin_errors(jsens_direct* d) {
  jsens_walk* w = d->w;
  d->local = JARENA_ARRAY(&w->arena, w->nw, double);
  d->push = JARENA_ARRAY(&w->arena, w->ny * d->nprobe, double);
  d->motion = JARENA_ARRAY(&w->arena, w->ny, double);
  d->summed = JARENA_ARRAY(&w->arena, w->d->nobjective * (w->nw + 1), double);
  if (!d->local || !d->push || !d->motion || !d->summed || !allocate_traces(d)) return false;
  d->unit = w->out->unit;
  return true;
}

static double sign_of(int number) {
  uint32_t x = 2654435761u * (uint32_t)(number + 1) + 40503u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return x & 1u ? 1.0 : -1.0;
}

// Sizes in all lanes of the states that are followed, in their scales.
static void sizes_of(const jsens_direct* d, const double* x, double* size) {
  const jgen_layout* layout = &d->w->d->layout;
  double sum[JSENS_MAX_LANES] = {0};
  assert(d->lanes <= JSENS_MAX_LANES);
  for (int i = 0; i < layout->ny; i++) {
    if (!layout->is_followed[i]) continue;
    for (int l = 0; l < d->lanes; l++) {
      double v = x[i * d->lanes + l] / layout->nominal[i];
      sum[l] += v * v;
    }
  }
  for (int l = 0; l < d->lanes; l++) {
    size[l] = sqrt(sum[l]);
  }
}

// What a step did to the derivative by number k.
static void note_step(jsens_direct* d, int k, int entry, double size, double error) {
  jsens_trace* t = &d->trace[d->ntrace > 1 ? k : 0];
  double unit = d->ntrace > 1 ? 1.0 : d->unit[k];
  jsens_trace_note(t, entry, unit * size, unit * error);
}

// (S15)  the local error of a step: what it says of the step itself, and what the probes carry on
void jsens_direct_account(jsens_direct* d, int q, int entry) {
  jsens_walk* w = d->w;
  jsens_pack* p = &d->pack[q];
  int integrals = jgen_first(&w->d->layout, JGEN_INTEGRAL);
  double size[JSENS_MAX_LANES], error[JSENS_MAX_LANES];
  sizes_of(d, p->error, error);
  if (entry >= 0) sizes_of(d, p->S, size);
  for (int l = 0; l < d->lanes && q * d->lanes + l < w->nw; l++) {
    int k = q * d->lanes + l;
    if (w->sens->why[k]) continue;
    if (entry >= 0) note_step(d, k, entry, size[l], error[l]);
    d->local[k] += error[l];
    double weight = sign_of(k) * d->unit[k];
    for (int i = 0; i < integrals; i++) {
      d->push[JSENS_PROBE_S * w->ny + i] += weight * p->error[i * d->lanes + l];
    }
    for (int o = 0; o < w->d->nobjective; o++) {
      d->summed[o * (w->nw + 1) + k] += p->error[(integrals + o) * d->lanes + l];
    }
  }
}

// Integrals of objectives are added up by size: their errors and those of the states they integrate tend
// to cancel in the embedded method's estimate, more than they do in truth.
static void sum_integrals(jsens_direct* d) {
  const jgen_dynamics* m = d->w->d;
  double* error = d->push + JSENS_PROBE_Y * d->w->ny + jgen_first(&m->layout, JGEN_INTEGRAL);
  for (int o = 0; o < m->nobjective; o++) {
    d->summed[o * (d->w->nw + 1) + d->w->nw] += error[o];
    error[o] = 0.0;
  }
}

// What was accounted for goes to the probes.
void jsens_direct_push(jsens_direct* d) {
  jsens_walk* w = d->w;
  if (d->nprobe > JSENS_PROBE_Y) sum_integrals(d);
  for (int m = 0; m < d->nprobe; m++) {
    int j = w->nw + m;
    double* S = d->pack[j / d->lanes].S;
    for (int i = 0; i < w->ny; i++) {
      S[i * d->lanes + j % d->lanes] += d->push[m * w->ny + i];
      d->push[m * w->ny + i] = 0.0;
    }
  }
}

// The slope at the end of the last step is the first one of this step.
void jsens_direct_complete(jsens_direct* d, int q) {
  jsens_pack* p = &d->pack[q];
  for (int i = 0; q == 0 && i < d->w->ny; i++) {
    d->push[JSENS_PROBE_Y * d->w->ny + i] += d->open_weight * d->ydot[i * d->lanes];
  }
  for (int n = 0; n < d->w->ny * d->lanes; n++) {
    p->error[n] += d->open_weight * p->dk[0][n];
  }
  jsens_direct_account(d, q, d->open);
}

// No step follows that begins where the last one ended: evaluate its last slope.
void jsens_direct_settle(jsens_direct* d) {
  jsens_walk* w = d->w;
  if (d->open < 0) return;
  const jsens_entry* e = &w->record->entry[d->open];
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch));
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    jsens_point at = {.t = e->t1, .y = d->y, .dy = p->S, .dp = p->dp};
    jsens_walk_tangent(w, JGEN_FN_RHS, &at, (double* const[]){d->ydot, p->dk[0]});
    jsens_direct_complete(d, q);
  }
  jsens_direct_push(d);
  d->open = -1;
}

// h sum e_i dk_i without the last slope, which the next step begins with.
void jsens_direct_open(jsens_direct* d, int q, const jsens_entry* e) {
  const jsolve_scheme* s = jsens_walk_scheme(d->w, e);
  int n = d->w->ny * d->lanes, last = s->e.n - 1;
  jsolve_combination part = s->e;
  if (last >= 0 && part.index[last] == s->tab->stages) part.n--;
  memset(d->dY, 0, (size_t)n * sizeof *d->dY);
  jsolve_combine(n, d->dY, e->t1 - e->t, &part, d->pack[q].dk, d->pack[q].error);
  if (q == 0) jsolve_combine(d->w->ny, d->dY, e->t1 - e->t, &part, d->w->k, d->motion);
}

// What the probe found, against what it was given: how errors of steps add up to an error of an
// objective's derivative. (S16)
double jsens_direct_amplification(const jsens_direct* d, const double* carried) {
  double given = 0.0;
  for (int k = 0; k < d->w->nw; k++) {
    given += pow(d->unit[k] * d->local[k], 2);
  }
  return given > 0.0 ? fabs(carried[JSENS_PROBE_S]) / sqrt(given) : 0.0;
}
