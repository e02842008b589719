// SPDX-License-Identifier: Apache-2.0
// Central differences of runs, extrapolated. With D(h) the central difference,
//   D_0i = D(h / 2^i)     D_ki = (4^k D_(k-1)i - D_(k-1)(i-1)) / (4^k - 1)
// removes one power of h^2 after the other; the entry that differs least from those it was made of is
// taken, and that difference is the error estimate (Ridders).
#include "sens/error/numeric.h"

#include <math.h>
#include <string.h>

#include "plant/check/guard.h"
#include "sens/error/metric.h"

#define LEVELS          5
#define WANTED_CHANGE   1e-3  // of an objective by the largest increment, relative
#define LEAST_INCREMENT 1e-4  // the largest increment is between these parts of the number's size
#define MOST_INCREMENT  0.05
#define SHRINK          0.25   // where events change their order
#define GIVE_UP         1e-8   // smaller increments drown in rounding
#define INSTANT         1e-10  // events closer than that are at the same time [s]

// Where nothing happens but to the description, order does not matter.
static bool counts(const jsens_numeric* n, const jsens_event* e) {
  return !n->sens->plant->dynamics->sw[e->which].is_quiet;
}

static int event_code(const jsens_event* e) {
  return 2 * e->which + (e->on ? 1 : 0);
}

// Of what happens at one instant rounding decides the order, as of conditions that end with what they brought about: it is
// told by code.
static int list_events(const jsens_numeric* n, const jsens_result* r, int* code) {
  int count = 0, first = 0;  // of the instant
  double last = -INFINITY;
  for (int i = 0; i < r->nevent; i++) {
    const jsens_event* e = &r->event[i];
    if (!counts(n, e)) continue;
    if (e->t > last + INSTANT) first = count;
    last = e->t;
    int at = count++, is = event_code(e);
    for (; at > first && code[at - 1] > is; at--) {
      code[at] = code[at - 1];
    }
    code[at] = is;
  }
  return count;
}

static jo_status keep_nominal(jsens_numeric* n) {
  jsens_result* r = NULL;
  JO_TRY(jsens_run(n->ctx, n->sens, JSENS_VALUE, &n->opt, &r));
  n->psi = JARENA_ARRAY(&n->arena, n->nobjective, double);
  n->event = JARENA_ARRAY(&n->arena, r->nevent, int);
  if (n->psi && n->event) {
    memcpy(n->psi, r->value, (size_t)n->nobjective * sizeof *n->psi);
    n->nevent = list_events(n, r, n->event);
  }
  jsens_result_destroy(r);
  return n->psi && n->event ? JO_OK : jerr_memory(n->ctx);
}

jo_status jsens_numeric_begin(jsens_numeric* n, jo_context* ctx, const jsens* s, const int* wrt,
                              const jsens_options* opt) {
  const jgen_dynamics* d = s->plant->dynamics;
  *n = (jsens_numeric){.ctx = ctx, .sens = s, .wrt = wrt, .opt = *opt};
  n->nobjective = d->nobjective;
  jarena_init(&n->arena, ctx);
  n->p = JARENA_ARRAY(&n->arena, d->np, double);
  if (!n->p) return jerr_memory(ctx);
  memcpy(n->p, opt->p ? opt->p : d->p, (size_t)d->np * sizeof *n->p);
  n->opt.p = n->p;
  n->opt.is_near = true;
  n->opt.observer = NULL;
  return keep_nominal(n);
}

void jsens_numeric_end(jsens_numeric* n) {
  jarena_free(&n->arena);
}

static double* live_value(jsens_numeric* n, int which) {
  const jgen_dynamics* d = n->sens->plant->dynamics;
  int i = 0;
  while (d->live[i] != n->wrt[which]) {
    i++;
  }
  return &n->p[i];
}

static jo_status compare_events(jsens_numeric* n, const jsens_result* r, bool* same) {
  jarena_mark mark = jarena_save(&n->arena);
  int* code = JARENA_ARRAY(&n->arena, r->nevent, int);
  if (!code) return jerr_memory(n->ctx);
  int count = list_events(n, r, code);
  *same = count == n->nevent && memcmp(code, n->event, (size_t)count * sizeof *code) == 0;
  jarena_restore(&n->arena, mark);
  return JO_OK;
}

jo_status jsens_numeric_value(jsens_numeric* n, int which, double dp, double* psi, bool* same) {
  double *p = live_value(n, which), nominal = *p;
  jsens_result* r = NULL;
  *p = nominal + dp;
  jo_status status = jsens_run(n->ctx, n->sens, JSENS_VALUE, &n->opt, &r);
  *p = nominal;
  if (status >= 0) memcpy(psi, r->value, (size_t)n->nobjective * sizeof *psi);
  if (status >= 0 && same) status = compare_events(n, r, same);
  jsens_result_destroy(r);
  return status;
}

// ---- extrapolation -------------------------------------------------------------------------------

typedef struct table {
  double previous[LEVELS];
} table;

// Row i of the table from its first entry; keeps the best entry so far. No entry is known better than to the noise of its
// runs: two may agree by chance.
static void extrapolate(table* t, int i, double first, double noise, double* best, double* error) {
  double row[LEVELS] = {first}, power = 4.0;
  for (int k = 1; k <= i; k++, power *= 4.0) {
    row[k] = (power * row[k - 1] - t->previous[k - 1]) / (power - 1.0);
    double e = fmax(fabs(row[k] - row[k - 1]), fabs(row[k] - t->previous[k - 1]));
    e = fmax(e, noise);
    if (e < *error) {
      *error = e;
      *best = row[k];
    }
  }
  memcpy(t->previous, row, sizeof row);
}

// Whether the windows of the objectives stay inside of the run when the number moves by dp.
static jo_status fits(jsens_numeric* n, int which, double dp, bool* fit) {
  double *p = live_value(n, which), nominal = *p;
  jplant_work* run;
  *p = nominal + dp;
  jo_status status = jplant_work_create(n->ctx, n->sens->plant, n->p, &run);
  *p = nominal;
  JO_TRY(status);
  *fit = jplant_windows_fit(run, n->opt.t_start, n->opt.t_end);
  jplant_work_destroy(run);
  return JO_OK;
}

// (4 psi(h) - psi(2h) - 3 psi) / 2h, to the side h has the sign of: of second order, too
static jo_status one_sided(jsens_numeric* n, int which, double h, double* d, double* other,
                           bool* same) {
  double p = *live_value(n, which);
  volatile double far = p + 2.0 * h;
  bool same_near, same_far;
  JO_TRY(jsens_numeric_value(n, which, 0.5 * (far - p), d, &same_near));
  JO_TRY(jsens_numeric_value(n, which, far - p, other, &same_far));
  *same = same_near && same_far;
  for (int o = 0; o < n->nobjective; o++) {
    d[o] = (4.0 * (d[o] - n->psi[o]) - (other[o] - n->psi[o])) / (far - p);
  }
  return JO_OK;
}

// Central differences of all objectives at increment h; one-sided where a window ends with the run.
static jo_status central(jsens_numeric* n, int which, double h, double* d, double* other,
                         bool* same) {
  double p = *live_value(n, which);
  volatile double up = p + h, down = p - h;
  bool same_up, same_down, fits_up, fits_down;
  JO_TRY(fits(n, which, h, &fits_up));
  JO_TRY(fits(n, which, -h, &fits_down));
  if (!fits_up || !fits_down) return one_sided(n, which, fits_up ? h : -h, d, other, same);
  JO_TRY(jsens_numeric_value(n, which, h, d, &same_up));
  JO_TRY(jsens_numeric_value(n, which, -h, other, &same_down));
  *same = same_up && same_down;
  for (int o = 0; o < n->nobjective; o++) {
    d[o] = (d[o] - other[o]) / (up - down);
  }
  return JO_OK;
}

// As large as changes the objective by WANTED_CHANGE: noise is small against that, curvature too.
static double first_increment(const jsens_numeric* n, const double* guess, double size) {
  double influence = 0.0;
  for (int o = 0; o < n->nobjective; o++) {
    double psi = n->psi[o] != 0.0 ? fabs(n->psi[o]) : 1.0;
    influence = fmax(influence, fabs(guess[o]) * size / psi);
  }
  double h = influence > 0.0 ? WANTED_CHANGE / influence : MOST_INCREMENT;
  return size * fmax(fmin(h, MOST_INCREMENT), LEAST_INCREMENT);
}

jo_status jsens_numeric_derivative(jsens_numeric* n, int which, const double* guess,
                                   double* derivative, double* error, double* increment) {
  jarena_mark mark = jarena_save(&n->arena);
  int no = n->nobjective;
  double* d = JARENA_ARRAY(&n->arena, 2 * no, double);
  table* t = JARENA_ARRAY(&n->arena, no, table);
  if (!d || !t) return jerr_memory(n->ctx);
  double p = *live_value(n, which);
  double size = jsens_size_at(n->sens->plant->model, n->wrt[which], p);
  for (int o = 0; o < no; o++) {
    error[o] = INFINITY;
    derivative[o] = NAN;
  }
  jo_status status = JO_OK;
  double h = *increment = first_increment(n, guess, size);
  for (int i = 0; i < LEVELS && status >= 0;) {
    bool same = true;
    status = central(n, which, h, d, d + no, &same);
    if (status >= 0 && !same && i == 0 && h > GIVE_UP * size) {
      h = *increment = SHRINK * h;
      continue;
    }
    for (int o = 0; o < no && status >= 0; o++) {
      double noise = n->opt.solve.rel_tol * fabs(n->psi[o]) / h;
      extrapolate(&t[o], i, d[o], noise, &derivative[o], &error[o]);
    }
    i++;
    h *= 0.5;
  }
  jarena_restore(&n->arena, mark);
  return status;
}
