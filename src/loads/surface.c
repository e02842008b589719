// SPDX-License-Identifier: Apache-2.0
// Surfaces of peak load: nodes by reconstruction, cubics in both directions between them.
#include "loads/surface.h"

#include <math.h>
#include <string.h>

#define SIDE JLOADS_SURFACE_SIDE

static double node(const double range[2], int i) {
  return range[0] + (range[1] - range[0]) * i / (SIDE - 1);
}

static jo_status integrate_nodes(jo_context* ctx, jarena* a, const jloads* l, const double* p,
                                 double t0, const double* y0, double duration, jloads_surface* s) {
  const jgen_dynamics* d = l->plant->dynamics;
  double* y = JARENA_ARRAY(a, d->ny, double);
  double* peak = JARENA_ARRAY(a, 2 * l->ne, double);
  if (!y || !peak) return jerr_memory(ctx);
  memcpy(y, y0, (size_t)d->ny * sizeof *y);
  for (int i = 0; i < SIDE * SIDE; i++) {
    y[jgen_first(&d->layout, JGEN_QU) + s->coordinate] = node(s->q, i / SIDE);
    y[jgen_first(&d->layout, JGEN_QDU) + s->coordinate] = node(s->qd, i % SIDE);
    JO_TRY(jloads_reconstruct(ctx, l, p, t0, y, duration, peak, peak + l->ne));
    s->peak[i] = peak[s->element];
    s->t_peak[i] = peak[l->ne + s->element] - t0;
  }
  return JO_OK;
}

jo_status jloads_surface_build(jo_context* ctx, const jloads* l, const double* p, double t0,
                               const double* y0, double duration, jloads_surface* s) {
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = integrate_nodes(ctx, &a, l, p, t0, y0, duration, s);
  jarena_free(&a);
  return status;
}

// Four nodes around x and their Lagrange weights.
static int weigh(const double range[2], double x, double w[4]) {
  double width = range[1] - range[0];
  double u = width > 0.0 ? (x - range[0]) / width * (SIDE - 1) : 0.0;
  int first = (int)floor(u) - 1;
  first = first < 0 ? 0 : first > SIDE - 4 ? SIDE - 4 : first;
  for (int i = 0; i < 4; i++) {
    w[i] = 1.0;
    for (int k = 0; k < 4; k++) {
      if (k != i) w[i] *= (u - (first + k)) / (double)(i - k);
    }
  }
  return first;
}

double jloads_surface_peak(const jloads_surface* s, double q, double qd, double* t_peak) {
  double a[4], b[4], sum = 0.0, t = 0.0;
  int i0 = weigh(s->q, q, a), k0 = weigh(s->qd, qd, b);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      int at = (i0 + i) * SIDE + k0 + k;
      sum += a[i] * b[k] * s->peak[at];
      t += a[i] * b[k] * s->t_peak[at];
    }
  }
  if (t_peak) *t_peak = t;
  return sum;
}
