// SPDX-License-Identifier: Apache-2.0
// An eigenvalue lambda of A, of right and left eigenvectors v and w, moves with errors E of A by, to first order,
//   (N5)  |d lambda| <= sum_ij |w_i| |E_ij| |v_j| / |w^H v|
// Zeros of free motions are defective: w^H v vanishes there, and what rounding makes of them is within their error. An
// equilibrium is unstable where Re lambda is larger than its error.
#include <math.h>

#include "plant/linearise.h"
#include "plant/plant.h"

#define NOISE   1e-10  // error of an entry, by the largest of its row
#define SLOWEST 1e-4   // growth that counts [1/s]

static double size_at(const double* v, int n, int i) {
  return hypot(v[i], v[n + i]);
}

// |w^H v|
static double overlap(const jplant_mode* m, int n) {
  const double *v = m->right, *w = m->left;
  double re = 0.0, im = 0.0;
  for (int i = 0; i < n; i++) {
    re += w[i] * v[i] + w[n + i] * v[n + i];
    im += w[i] * v[n + i] - w[n + i] * v[i];
  }
  return hypot(re, im);
}

// (N5); row: largest entry of each row of A
static double uncertainty(const jplant_mode* m, int n, const double* row) {
  double moved = 0.0, along = 0.0;
  for (int i = 0; i < n; i++) {
    moved += size_at(m->left, n, i) * NOISE * row[i];
    along += size_at(m->right, n, i);
  }
  return moved * along / fmax(overlap(m, n), 1e-300);
}

// The state that moves most in a mode: a coordinate, where one does.
static int most_moved(const jgen_dynamics* d, const jplant_linear* l, const jplant_mode* m) {
  int most = 0;
  for (int i = 1; i < l->nu; i++) {
    if (size_at(m->right, l->n, i) > 1.000001 * size_at(m->right, l->n, most)) most = i;
  }
  if (l->nu > 0 && size_at(m->right, l->n, most) > 0.0) return jgen_own(&d->layout, most);
  for (int i = 2 * l->nu; i < l->n; i++) {
    if (size_at(m->right, l->n, i) > size_at(m->right, l->n, most)) most = i;
  }
  return jgen_own(&d->layout, most);
}

static void judge(const jgen_dynamics* d, const jplant_linear* l, const double* row,
                  const jplant_mode* mode, int n, jmachine_equilibrium* out) {
  out->growth = 0.0;
  for (int i = 0; i < n; i++) {
    const jplant_mode* m = &mode[i];
    if (m->re <= fmax(SLOWEST, out->growth) || m->re <= uncertainty(m, l->n, row)) continue;
    out->growth = m->re;
    out->turning = m->im;
    out->growing = most_moved(d, l, m);
  }
}

static jo_status analyse(jo_context* ctx, jarena* a, const jgen_dynamics* d, const jsolve_system* s,
                         double t, const double* y, jmachine_equilibrium* out) {
  jplant_linear linear;
  jplant_mode* mode;
  int n;
  JO_TRY(jplant_linearise(ctx, a, d, s, t, y, &linear));
  double* row = JARENA_ARRAY(a, linear.n, double);
  if (!row) return jerr_memory(ctx);
  for (int k = 0; k < linear.n * linear.n; k++) {
    row[k % linear.n] = fmax(row[k % linear.n], fabs(linear.A[k]));
  }
  JO_TRY(jplant_modes(ctx, a, d, &linear, &mode, &n));
  judge(d, &linear, row, mode, n, out);
  return JO_OK;
}

jo_status jplant_judge_rest(jo_context* ctx, const jplant* p, double t, const double* y,
                            jmachine_equilibrium* out) {
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, &run));
  jo_status status = JO_OK;
  int said = jo_context_diagnostic_count(ctx);
  if (run->system.jacobian) {
    jarena a;
    jarena_init(&a, ctx);
    jsolve_set_modes(&run->system, t, y, run->g);
    status = analyse(ctx, &a, p->dynamics, &run->system, t, y, out);
    jarena_free(&a);
  }
  jplant_work_destroy(run);
  if (status >= 0 || status == JO_ERR_MEMORY) return status;
  jerr_forget(ctx, said);  // whoever needs the slopes says why there are none
  return JO_OK;
}
