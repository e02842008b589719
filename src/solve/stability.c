// SPDX-License-Identifier: Apache-2.0
#include "solve/stability.h"

#include <float.h>
#include <math.h>

#include "base/elementary.h"
#include "solve/constants.h"

#define LEAST_STEPS 4  // in a row ...
#define MOST_GROWTH \
  7.0                 // ... that make a thousand times as much of the motion, as a logarithm, ...
#define OF_SHORT 2.3  // ... or ten times as much, of runs that have no more steps
#define LITTLE   0.1  // growth in a run, as a logarithm, that is no harm
#define MARGIN   0.5  // of the stability limit: the step that messages recommend

// R(z) = 1 + z b.1 + z^2 b.A 1 + z^3 b.A^2 1 ...
jsolve_stability jsolve_stability_of(const jsolve_tableau* tab) {
  jsolve_stability s = {.n = tab->stages, .factor = {1}};
  double v[JSOLVE_MAX_STAGES], next[JSOLVE_MAX_STAGES];
  for (int i = 0; i < tab->stages; i++)
    v[i] = 1;
  for (int k = 1; k <= tab->stages; k++) {
    for (int i = 0; i < tab->stages; i++) {
      s.factor[k] += tab->b[i] * v[i];
      next[i] = 0;
      for (int j = 0; j < i; j++)
        next[i] += tab->a[i][j] * v[j];
    }
    for (int i = 0; i < tab->stages; i++)
      v[i] = next[i];
  }
  return s;
}

double jsolve_amplification(const jsolve_stability* s, double x, double y) {
  double re = 0, im = 0;
  for (int i = s->n; i >= 0; i--) {
    double real = -x * re - y * im + s->factor[i];
    im = -x * im + y * re;
    re = real;
  }
  return sqrt(re * re + im * im);
}

// ---- eigenvalues -----------------------------------------------------------------------------------

typedef struct eigenvalue {
  double size, decay;  // |lambda|, -Re lambda >= 0
} eigenvalue;

static double product(int n, const double* scale, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double w = scale ? scale[i] : 1;
    if (w > 0) sum += a[i] / w * (b[i] / w);
  }
  return sum;
}

static eigenvalue of_motion(const jsolve_system* sys, const double* dy, const double* df) {
  int n = sys->nq, rate = sys->nq + sys->nv;
  const double *scale = sys->error_scale, *dq = dy, *dv = dy + rate, *da = df + rate;
  double qq = product(n, scale, dq, dq), aa = product(n, scale, da, da);
  if (!(qq > DBL_MIN) || !(aa > DBL_MIN)) return (eigenvalue){0, 0};
  double s2 = sqrt(aa / qq), vv = product(n, scale, dv, dv);
  double re = (s2 * product(n, scale, dq, dv) + product(n, scale, dv, da)) / (s2 * qq + vv);
  return (eigenvalue){sqrt(s2), fmin(fmax(-re, 0), sqrt(s2))};
}

// States that are no part of the motion, or all where it is not known which are.
static eigenvalue of_others(const jsolve_system* sys, const double* dy, const double* df) {
  int first = sys->has_parts ? 2 * sys->nq + sys->nv : 0;
  int n = sys->has_parts ? sys->nw - sys->nq : sys->n;
  const double* scale = sys->error_scale ? sys->error_scale + first : NULL;
  const double *y = dy + first, *f = df + first;
  double yy = product(n, scale, y, y), ff = product(n, scale, f, f);
  if (!(yy > DBL_MIN) || !(ff > DBL_MIN)) return (eigenvalue){0, 0};
  double size = sqrt(ff / yy), re = product(n, scale, y, f) / yy;
  return (eigenvalue){size, fmin(fmax(-re, 0), size)};
}

static double amplification(const jsolve_stability* s, double h, eigenvalue e) {
  double x = h * e.decay, z = h * e.size;
  return jsolve_amplification(s, x, sqrt(fmax(0, z * z - x * x)));
}

// The longest step, as a part of h, with which what has this eigenvalue grows by no more than a tenth in the run.
static double stable_part(const jsolve_stability* s, double h, double span, eigenvalue e) {
  double part = 1;
  while (part > 1e-9 && jm_log(amplification(s, part * h, e)) * span > LITTLE * part * h)
    part *= 0.95;
  return part;
}

// ---- judging ---------------------------------------------------------------------------------------

static jo_status fail(const jsolve_stability* s, jsolve_run* run, eigenvalue e) {
  double h = run->t_new - run->t, span = run->t_end - run->t_begin,
         part = stable_part(s, h, span, e);
  return jerr_set(run->ctx, JO_ERR_CONVERGENCE,
                  "integration: %s with steps of %g s is unstable at t = %.9g: |h lambda| is about "
                  "%.2g, %.2g is allowed; take steps below %.1e s, or an adaptive method",
                  jsolve_method_name(run->opt->method), run->opt->step, run->t_new, h * e.size,
                  part * h * e.size, MARGIN * part * h);
}

static jsolve_growth* growth_of(jsolve_stability* s, const jsolve_run* run) {
  return run->opt->growth ? run->opt->growth : &s->growth;
}

jo_status jsolve_stability_judge(jsolve_stability* s, jsolve_run* run, bool is_suspect, double* dy,
                                 double* df) {
  const jsolve_system* sys = run->sys;
  double h = run->t_new - run->t;
  eigenvalue motion = {0, 0}, e = of_others(sys, dy, df);
  if (sys->has_parts) motion = of_motion(sys, dy, df);
  if (motion.size > e.size) e = motion;
  for (int i = 0; i < sys->n; i++)
    df[i] *= h;
  if (!(jsolve_norm(&run->weights, df, run->y, run->y_new) > 1)) e = (eigenvalue){0, 0};
  run->stats.h_lambda = fmax(run->stats.h_lambda, h * e.size);
  double r = amplification(s, h, e);
  if (r > JSOLVE_FAST && !is_suspect) r = 1;
  jsolve_growth* g = growth_of(s, run);
  // what is left of a step behind an event is shorter, and says nothing of the others
  if (!(r > 1) && h >= JSOLVE_WHOLE * run->opt->step) g->nstep = 0;
  if (g->nstep == 0) g->logarithm = 0;
  g->nstep += r > 1;
  if (r > 1) g->logarithm += jm_log(fmin(r, DBL_MAX));
  bool is_short =
      run->opt->is_whole && run->t_new >= run->t_end && g->nstep == run->stats.steps + 1;
  bool grows = g->nstep >= LEAST_STEPS && g->logarithm > MOST_GROWTH;
  return grows || (is_short && g->logarithm > OF_SHORT) ? fail(s, run, e) : JO_OK;
}

bool jsolve_stability_grows(jsolve_stability* s, const jsolve_run* run) {
  return growth_of(s, run)->logarithm > OF_SHORT;
}
