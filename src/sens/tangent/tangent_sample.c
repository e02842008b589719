// SPDX-License-Identifier: Apache-2.0
// Outputs and their derivatives along a run, for an observer.
#include <string.h>

#include "sens/tangent/tangent.h"

jo_status jsens_direct_begin_samples(jsens_direct* d) {
  jsens_walk* w = d->w;
  const jsens_observer* o = w->opt->observer;
  if (!o) return JO_OK;
  double** array[] = {&d->y0, &d->f0, &d->f1, &d->y_at, &d->S_at};
  bool ok = true;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = jsens_direct_vector(d, w->ny);
    ok = ok && *array[i];
  }
  for (int k = 0; k < d->npack; k++) {
    jsens_pack* p = &d->pack[k];
    p->S0 = jsens_direct_vector(d, w->ny);
    p->D0 = jsens_direct_vector(d, w->ny);
    p->D1 = jsens_direct_vector(d, w->ny);
    ok = ok && p->S0 && p->D0 && p->D1;
  }
  d->out = JARENA_ARRAY(&w->arena, w->d->noutput, double);
  d->dout = JARENA_ARRAY(&w->arena, (int64_t)w->d->noutput * w->nw, double);
  d->dout_error = JARENA_ARRAY(&w->arena, (int64_t)w->d->noutput * w->nw, double);
  d->probed = JARENA_ARRAY(&w->arena, (int64_t)w->d->noutput * d->nprobe, double);
  ok = ok && d->dout_error && d->probed;
  return ok && d->out && d->dout ? JO_OK : jerr_memory(w->ctx);
}

// Derivatives of the outputs in the lanes of one pack.
static void pack_outputs(jsens_direct* d, double t, const double* y, int q, const double* S) {
  jsens_walk* w = d->w;
  jsens_point at = {.t = t, .y = y, .dy = S, .dp = d->pack[q].dp};
  jsens_walk_tangent(w, JGEN_FN_OUTPUTS, &at, (double* const[]){d->dg});
  for (int o = 0; o < w->d->noutput; o++) {
    for (int l = 0; l < d->lanes && q * d->lanes + l < w->nw + d->nprobe; l++) {
      int j = q * d->lanes + l;
      double* to =
          j < w->nw ? &d->dout[(int64_t)o * w->nw + j] : &d->probed[o * d->nprobe + j - w->nw];
      *to = d->dg[o * d->lanes + l];
    }
  }
}

static jo_status pass_sample(jsens_direct* d, double t, const double* y) {
  jsens_walk* w = d->w;
  const jsens_observer* o = w->opt->observer;
  jplant_outputs(w->run, t, y, d->out);
  for (int i = 0; i < w->d->noutput && d->nprobe > 0; i++) {
    double a = jsens_direct_amplification(d, d->probed + i * d->nprobe);
    for (int j = 0; j < w->nw; j++) {
      d->dout_error[(int64_t)i * w->nw + j] = a * d->local[j];
    }
  }
  return o->sample(o->user, t, d->out, d->dout, d->nprobe > 0 ? d->dout_error : NULL);
}

// At the state and the derivatives the walk has come to.
static jo_status sample_here(jsens_direct* d, double t) {
  if (!d->w->opt->observer) return JO_OK;
  for (int q = 0; q < d->npack; q++) {
    pack_outputs(d, t, d->y, q, d->pack[q].S);
  }
  return pass_sample(d, t, d->y);
}

static double sample_time(const jsens_direct* d) {
  const jsens_options* opt = d->w->opt;
  double step = opt->observer->step, t = opt->t_start + (double)d->next * step;
  double end = d->w->record->t_end;
  return t > end - 1e-9 * step ? end : t;
}

static bool has_samples(const jsens_direct* d, double t1) {
  const jsens_observer* o = d->w->opt->observer;
  return o && o->step > 0.0 && sample_time(d) < t1;
}

static void slopes(jsens_direct* d, double t, const double* y, jsens_pack* p, double* f,
                   double* D) {
  jsens_point at = {.t = t, .y = y, .dy = p->S, .dp = p->dp};
  jsens_walk_tangent(d->w, JGEN_FN_RHS, &at, (double* const[]){d->ydot, D});
  for (int r = 0; r < d->w->ny; r++) {
    f[r] = d->ydot[r * d->lanes];
  }
}

void jsens_direct_keep(jsens_direct* d, const jsens_entry* e) {
  if (!has_samples(d, e->t1)) return;
  memcpy(d->y0, d->y, (size_t)d->w->ny * sizeof *d->y);
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    memcpy(p->S0, p->S, (size_t)(d->w->ny * d->lanes) * sizeof *p->S);
    slopes(d, e->t, d->y, p, d->f0, p->D0);
  }
}

// Cubic Hermite polynomial at x in [0, 1].
static void hermite(double x, double h, const double* y0, const double* f0, const double* y1,
                    const double* f1, int n, double* y) {
  double r = 1.0 - x, a = r * r * (1.0 + 2.0 * x), b = x * x * (1.0 + 2.0 * r);
  for (int i = 0; i < n; i++) {
    y[i] = a * y0[i] + b * y1[i] + h * x * r * (r * f0[i] - x * f1[i]);
  }
}

static jo_status sample_inside(jsens_direct* d, const jsens_entry* e, double t) {
  jsens_walk* w = d->w;
  double h = e->t1 - e->t, x = (t - e->t) / h;
  hermite(x, h, d->y0, d->f0, d->y, d->f1, w->ny, d->y_at);
  for (int i = 0; i < w->ny; i++) {
    if (w->d->layout.is_discrete[i]) d->y_at[i] = d->y0[i];
  }
  JO_TRY(jmachine_close(&w->run->machine, t, d->y_at));
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    hermite(x, h, p->S0, p->D0, p->S, p->D1, w->ny * d->lanes, d->S_at);
    jsens_direct_close(d, t, d->y_at, d->zero, p, d->S_at);
    pack_outputs(d, t, d->y_at, q, d->S_at);
  }
  return pass_sample(d, t, d->y_at);
}

jo_status jsens_direct_sample_step(jsens_direct* d, const jsens_entry* e) {
  const jsens_observer* o = d->w->opt->observer;
  if (!o) return JO_OK;
  if (o->step <= 0.0) return sample_here(d, e->t1);
  if (has_samples(d, e->t1)) {
    for (int q = 0; q < d->npack; q++) {
      slopes(d, e->t1, d->y, &d->pack[q], d->f1, d->pack[q].D1);
    }
  }
  for (; has_samples(d, e->t1); d->next++) {
    JO_TRY(sample_inside(d, e, sample_time(d)));
  }
  if (sample_time(d) > e->t1) return JO_OK;
  d->next = e->t1 < d->w->record->t_end ? d->next + 1 : INT64_MAX / 2;
  return sample_here(d, e->t1);
}

jo_status jsens_direct_sample_event(jsens_direct* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  if (!w->opt->observer || w->opt->observer->step > 0.0) return JO_OK;
  memcpy(d->y, e->after, (size_t)w->ny * sizeof *d->y);
  jsens_walk_set_epoch(w, e->epoch + 1);
  return sample_here(d, e->t);
}

jo_status jsens_direct_sample_start(jsens_direct* d) {
  jsens_walk* w = d->w;
  if (!w->opt->observer) return JO_OK;
  jsens_walk_set_epoch(w, 0);
  if (w->record->nentry == 0) return JO_OK;
  jsens_entry e = jsens_record_entry(w->record, 0);
  memcpy(d->y, e.y, (size_t)w->ny * sizeof *d->y);
  d->next = 1;
  return sample_here(d, w->opt->t_start);
}
