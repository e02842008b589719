// SPDX-License-Identifier: Apache-2.0
// Guards of a run. docs/theory/tyre.md, docs/format.md (objectives).
#include "study/guard.h"

#include <math.h>
#include <string.h>

// ---- windows -------------------------------------------------------------------------------------

static jo_status check_window(const jstudy_run* r, const jmodel_objective* o, double from,
                              double to, double t_start, double t_end) {
  const jmodel_place* at = &o->window[0].place;
  if (!(from < to)) {
    return jerr_set(
        r->ctx, JO_ERR_MODEL,
        "%s:%d: objective '%s': its window [%.12g, %.12g] s is %s; it must begin before "
        "it ends",
        at->file, at->line, o->name, from, to, from == to ? "empty" : "reversed");
  }
  if (from >= t_start && to <= t_end) return JO_OK;
  return jerr_set(r->ctx, JO_ERR_MODEL,
                  "%s:%d: objective '%s': its window [%.12g, %.12g] s reaches outside of the run "
                  "[%.12g, %.12g] s; choose a window inside, or a longer run",
                  at->file, at->line, o->name, from, to, t_start, t_end);
}

jo_status jstudy_guard_windows(jstudy_run* r, double t_start, double t_end) {
  const jmodel* m = r->plant->model;
  jstudy_run_call(r, r->plant->windows, t_start, r->plant->y0, (double* const[]){r->windows});
  for (int i = 0; i < m->nobjective; i++) {
    if (!m->objective[i].has_window) continue;
    const double* w = r->windows + 2 * i;
    JO_TRY(check_window(r, &m->objective[i], w[0], w[1], t_start, t_end));
  }
  return JO_OK;
}

bool jstudy_windows_fit(jstudy_run* r, double t_start, double t_end) {
  const jmodel* m = r->plant->model;
  bool fit = true;
  jstudy_run_call(r, r->plant->windows, t_start, r->plant->y0, (double* const[]){r->windows});
  for (int i = 0; i < m->nobjective; i++) {
    const double* w = r->windows + 2 * i;
    bool inside = w[0] < w[1] && w[0] >= t_start && w[1] <= t_end;
    fit = fit && (inside || !m->objective[i].has_window);
  }
  return fit;
}

// ---- tyres ---------------------------------------------------------------------------------------

static jo_status fail_standing(const jstudy_run* r, int tyre, double t) {
  const jmodel_tyre* y = &r->plant->model->tyre[tyre];
  return jerr_set(
      r->ctx, JO_ERR_MODEL,
      "%s:%d: tyre '%s': its wheel stands on the ground at t = %.9g s, slower than %g "
      "m/s; this tyre law has no force at standstill: start with a speed, or end the run "
      "before it stops",
      y->place.file, y->place.line, y->name, t, JGEN_STANDSTILL);
}

static jo_status fail_sliding(const jstudy_run* r, int tyre, double t) {
  const jmodel_tyre* y = &r->plant->model->tyre[tyre];
  return jerr_set(r->ctx, JO_ERR_MODEL,
                  "%s:%d: tyre '%s': its wheel touches the ground at t = %.9g s while it moves "
                  "straight across its plane; this tyre law has no force without a speed along it, "
                  "of at least %g m/s: start with one",
                  y->place.file, y->place.line, y->name, t, JGEN_STANDSTILL);
}

// contact, vx, vy of all tyres, in this order
static void look(jstudy_run* r, double t, const double* y, double* rolling) {
  int n = r->plant->model->ntyre;
  double* out[3] = {rolling, rolling + n, rolling + 2 * n};
  jstudy_run_call(r, r->plant->rolling, t, y, out);
}

// Wheels that come to the ground, or begin on it, move along their planes: at exactly zero the law has
// no force across either, and nothing would bring them away from there.
static jo_status check_landing(const jstudy_run* r, double t, const double* was, const double* is) {
  int n = r->plant->model->ntyre;
  for (int k = 0; k < n; k++) {
    bool lands = is[k] > 0.5 && !(was && was[k] > 0.5);
    if (!lands || !(fabs(is[n + k]) < JGEN_STANDSTILL)) continue;
    bool slides = fabs(is[2 * n + k]) >= JGEN_STANDSTILL;
    return slides ? fail_sliding(r, k, t) : fail_standing(r, k, t);
  }
  return JO_OK;
}

jo_status jstudy_guard_start(jstudy_run* r, double t, const double* y) {
  jsolve_set_modes(&r->system, t, y, r->g);
  if (r->plant->model->ntyre == 0) return JO_OK;
  look(r, t, y, r->rolling);
  return check_landing(r, t, NULL, r->rolling);
}

static void flip(jstudy_run* r, const int* flipped, int n) {
  for (int i = 0; i < n; i++) {
    r->mode[flipped[i]] = 1.0 - r->mode[flipped[i]];
  }
}

jo_status jstudy_guard_event(jstudy_run* r, double t, const double* y, const int* flipped, int n) {
  int ntyre = r->plant->model->ntyre, first = r->plant->dynamics->first_standing;
  if (ntyre == 0) return JO_OK;
  for (int i = 0; i < n; i++) {
    if (flipped[i] < first || r->mode[flipped[i]] < 0.5) continue;
    return fail_standing(r, flipped[i] - first, t);
  }
  double* was = r->rolling + 3 * ntyre;
  flip(r, flipped, n);
  look(r, t, y, was);
  flip(r, flipped, n);
  look(r, t, y, r->rolling);
  return check_landing(r, t, was, r->rolling);
}

// Least distance of the straight line from a to b from the origin.
static double least_speed(const double a[2], const double b[2]) {
  double d[2] = {b[0] - a[0], b[1] - a[1]}, length = d[0] * d[0] + d[1] * d[1];
  double x = length > 0.0 ? -(a[0] * d[0] + a[1] * d[1]) / length : 0.0;
  x = fmin(1.0, fmax(0.0, x));
  return hypot(a[0] + x * d[0], a[1] + x * d[1]);
}

jo_status jstudy_guard_step(jstudy_run* r, double t, const double* y, double* before) {
  int n = r->plant->model->ntyre;
  if (n == 0) return JO_OK;
  double* now = r->rolling;
  look(r, t, y, now);
  JO_TRY(check_landing(r, t, before, now));
  for (int k = 0; k < n; k++) {
    if (now[k] < 0.5 || before[k] < 0.5) continue;
    const double a[2] = {before[n + k], before[2 * n + k]}, b[2] = {now[n + k], now[2 * n + k]};
    if (least_speed(a, b) < JGEN_STANDSTILL) return fail_standing(r, k, t);
  }
  memcpy(before, now, 3 * (size_t)n * sizeof *now);
  return JO_OK;
}
