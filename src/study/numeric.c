// SPDX-License-Identifier: Apache-2.0
// Central differences of runs, extrapolated. With D(h) the central difference,
//   D_0i = D(h / 2^i)     D_ki = (4^k D_(k-1)i - D_(k-1)(i-1)) / (4^k - 1)
// removes one power of h^2 after the other; the entry that differs least from those it was made of is
// taken, and that difference is the error estimate.
#include "study/numeric.h"

#include <math.h>
#include <string.h>

#include "study/metric.h"

#define LEVELS    6
#define INCREMENT 8e-3  // the largest, relative to the number's size

jo_status jstudy_numeric_begin(jstudy_numeric* n, jo_context* ctx, const jstudy_sens* s,
                               const jstudy_sens_options* opt) {
  const jgen_dynamics* d = s->plant->dynamics;
  *n = (jstudy_numeric){.ctx = ctx, .sens = s, .opt = *opt, .nobjective = d->nobjective};
  jarena_init(&n->arena, ctx);
  n->p = JARENA_ARRAY(&n->arena, d->np + 1, double);
  if (!n->p) return jerr_memory(ctx);
  memcpy(n->p, opt->p ? opt->p : d->p, (size_t)d->np * sizeof *n->p);
  n->opt.p = n->p;
  n->opt.observer = NULL;
  return JO_OK;
}

void jstudy_numeric_end(jstudy_numeric* n) {
  jarena_free(&n->arena);
}

static double* live_value(jstudy_numeric* n, int which) {
  const jgen_dynamics* d = n->sens->plant->dynamics;
  int i = 0;
  while (d->live[i] != n->sens->wrt[which]) {
    i++;
  }
  return &n->p[i];
}

jo_status jstudy_numeric_value(jstudy_numeric* n, int which, double dp, double* psi) {
  double *p = live_value(n, which), nominal = *p;
  jstudy_sens_result* r = NULL;
  *p = nominal + dp;
  jo_status status = jstudy_sens_run(n->ctx, n->sens, JSTUDY_VALUE, &n->opt, &r);
  *p = nominal;
  if (status >= 0) memcpy(psi, r->value, (size_t)n->nobjective * sizeof *psi);
  jstudy_sens_result_destroy(r);
  return status;
}

// What p + dp and p - dp really are apart.
static double central_increment(double p, double h) {
  volatile double up = p + h, down = p - h;
  return up - down;
}

typedef struct table {
  double previous[LEVELS], row[LEVELS];
} table;

// Row i of the table from its first entry; keeps the best entry so far.
static void extrapolate(table* t, int i, double first, double* best, double* error) {
  t->row[0] = first;
  double power = 4.0;
  for (int k = 1; k <= i; k++, power *= 4.0) {
    t->row[k] = (power * t->row[k - 1] - t->previous[k - 1]) / (power - 1.0);
    double a = fabs(t->row[k] - t->row[k - 1]), b = fabs(t->row[k] - t->previous[k - 1]);
    double e = a > b ? a : b;
    if (e < *error) {
      *error = e;
      *best = t->row[k];
    }
  }
  memcpy(t->previous, t->row, sizeof t->row);
}

jo_status jstudy_numeric_derivative(jstudy_numeric* n, int which, double* derivative, double* error,
                                    double* increment) {
  jarena_mark mark = jarena_save(&n->arena);
  int no = n->nobjective;
  double* psi = JARENA_ARRAY(&n->arena, 2 * no + 1, double);
  table* t = JARENA_ARRAY(&n->arena, no + 1, table);
  if (!psi || !t) return jerr_memory(n->ctx);
  double p = *live_value(n, which);
  double size =
      p != 0.0 ? fabs(p) : jstudy_natural_size(n->sens->plant->model, n->sens->wrt[which]);
  for (int o = 0; o < no; o++) {
    error[o] = INFINITY;
    derivative[o] = NAN;
  }
  jo_status status = JO_OK;
  *increment = INCREMENT * size;
  double h = *increment;
  for (int i = 0; i < LEVELS && status >= 0; i++, h *= 0.5) {
    status = jstudy_numeric_value(n, which, h, psi);
    if (status >= 0) status = jstudy_numeric_value(n, which, -h, psi + no);
    for (int o = 0; o < no && status >= 0; o++) {
      double d = (psi[o] - psi[no + o]) / central_increment(p, h);
      extrapolate(&t[o], i, d, &derivative[o], &error[o]);
    }
  }
  jarena_restore(&n->arena, mark);
  return status;
}
