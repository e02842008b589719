// SPDX-License-Identifier: Apache-2.0
// Guards of a run. docs/theory/tyre.md, docs/format.md (objectives).
#include "plant/check/guard.h"

#include <math.h>
#include <string.h>

#include "expr/tape/blame.h"
#include "model/element.h"
#include "plant/check/finite.h"

// ---- windows -------------------------------------------------------------------------------------

#define SHORTEST_WINDOW 1e-9  // times max(1, |t|) [s]: its ends are located to 1e-4 of it

static double shortest_window(double to) {
  return SHORTEST_WINDOW * fmax(1.0, fabs(to));
}

static jo_status check_window(const jplant_work* r, const jmodel_objective* o, double from,
                              double to, double t_start, double t_end) {
  const jmodel_place* at = &o->window[0].place;
  if (!(from < to)) {
    return jerr_set(
        r->ctx, JO_ERR_MODEL,
        "%s:%d: objective '%s': its window [%.12g, %.12g] s is %s; it must begin before "
        "it ends",
        at->file, at->line, o->name, from, to, from == to ? "empty" : "reversed");
  }
  if (to - from < shortest_window(to)) {
    return jerr_set(
        r->ctx, JO_ERR_MODEL,
        "%s:%d: objective '%s': its window [%.17g, %.17g] s is %.2g s long, too short for "
        "times to be resolved; it must last %.2g s at least",
        at->file, at->line, o->name, from, to, to - from, shortest_window(to));
  }
  if (from >= t_start && to <= t_end) return JO_OK;
  return jerr_set(r->ctx, JO_ERR_MODEL,
                  "%s:%d: objective '%s': its window [%.12g, %.12g] s reaches outside of the run "
                  "[%.12g, %.12g] s; choose a window inside, or a longer run",
                  at->file, at->line, o->name, from, to, t_start, t_end);
}

jo_status jplant_guard_windows(jplant_work* r, double t_start, double t_end) {
  const jmodel* m = r->plant->model;
  jplant_call(r, JGEN_FN_WINDOWS, t_start, r->plant->y0, (double* const[]){r->windows});
  for (int i = 0; i < m->nintegrated; i++) {
    if (!m->integrated[i].has_window) continue;
    const double* w = r->windows + 2 * i;
    JO_TRY(check_window(r, &m->integrated[i], w[0], w[1], t_start, t_end));
  }
  return JO_OK;
}

jo_status jplant_guard_reached(jplant_work* r, double t, double* cut) {
  const jmodel* m = r->plant->model;
  memset(cut, 0, (size_t)m->nobjective * sizeof *cut);
  if (!r->machine.has_ended) return JO_OK;
  jplant_call(r, JGEN_FN_WINDOWS, t, r->plant->y0, (double* const[]){r->windows});
  for (int i = 0; i < m->nobjective; i++) {
    const jmodel_objective* o = &m->objective[i];
    double from = r->windows[2 * o->integral], to = r->windows[2 * o->integral + 1];
    double least = shortest_window(to);
    if (!o->has_window || to - t < least) continue;
    if (t - from < least) {
      return jerr_set(r->ctx, JO_ERR_MODEL,
                      "%s:%d: objective '%s': the run ends by its condition (end_when) at %.12g s, "
                      "before its window [%.12g, %.12g] s has begun, so that it has no value; "
                      "choose a window before, or let the run go on",
                      o->window[0].place.file, o->window[0].place.line, o->name, t, from, to);
    }
    cut[i] = to - t;
  }
  return JO_OK;
}

void jplant_warn_cut(jo_context* ctx, const jmodel_objective* o, double value, double cut) {
  jerr_warn(ctx,
            "%s:%d: objective '%s': the run ends by its condition (end_when) inside of its window, "
            "the last %.6g s of which are missing: %.6g is of what is there; hint: choose a window "
            "that ends before, or let the run go on",
            o->window[0].place.file, o->window[0].place.line, o->name, cut, value);
}

bool jplant_windows_fit(jplant_work* r, double t_start, double t_end) {
  const jmodel* m = r->plant->model;
  bool fit = true;
  jplant_call(r, JGEN_FN_WINDOWS, t_start, r->plant->y0, (double* const[]){r->windows});
  for (int i = 0; i < m->nintegrated; i++) {
    const double* w = r->windows + 2 * i;
    bool inside = w[1] - w[0] >= shortest_window(w[1]) && w[0] >= t_start && w[1] <= t_end;
    fit = fit && (inside || !m->integrated[i].has_window);
  }
  return fit;
}

// ---- elements ------------------------------------------------------------------------------------

#define NO_LENGTH 1e-9  // [m]: so close, two points show no direction

jo_status jplant_guard_lengths(jplant_work* r, double t, const double* y) {
  const jgen_dynamics* d = r->plant->dynamics;
  const double* in[JGEN_GROUP_COUNT] = {JPLANT_INPUTS(r, &t, y)};
  for (int i = 0; i < d->model->nelement; i++) {
    const jmodel_element* e = &d->model->element[i];
    const jgen_length* l = &d->length[i];
    if (!l->value) continue;
    double length;
    JO_TRY(jexpr_blame_value(r->ctx, d->g, l->value, in, &length));
    if (length > NO_LENGTH) continue;
    return jerr_set(r->ctx, JO_ERR_MODEL,
                    "%s:%d: %s '%s': its ends, '%s' and '%s', are at the same place at t = %.9g "
                    "s: it has no direction there; move one of them, or put it on a coordinate",
                    e->place.file, e->place.line, e->class->kind, e->name, l->end[0]->name,
                    l->end[1]->name, t);
  }
  return JO_OK;
}

jo_status jplant_guard_elements(jplant_work* r, double t, const double* y, bool all) {
  const jplant* p = r->plant;
  double* ydot = r->machine.before;
  jplant_work_set_modes(r, t, y);
  jplant_call(r, JGEN_FN_RHS, t, y, (double* const[]){ydot});
  int bad = jplant_finite_first(ydot, p->dynamics->ny);
  if (bad < 0) return JO_OK;
  JO_TRY(jplant_guard_lengths(r, t, y));
  return all ? jplant_finite_rate(r, t, y, bad) : JO_OK;
}

// ---- guards of elements ----------------------------------------------------------------------------

jo_status jplant_guard_start(jplant_work* r, double t, const double* y) {
  JO_TRY(jplant_guard_elements(r, t, y, false));
  if (r->plant->dynamics->nguard == 0) return JO_OK;
  jmachine_look_at_guards(&r->machine, t, y, r->machine.guards);
  return jmachine_check_guards(&r->machine, t, NULL, r->machine.guards);
}

// Least distance of the straight line from a to b from the origin.
static double least_length(const double a[2], const double b[2]) {
  double d[2] = {b[0] - a[0], b[1] - a[1]}, length = d[0] * d[0] + d[1] * d[1];
  double x = length > 0.0 ? -(a[0] * d[0] + a[1] * d[1]) / length : 0.0;
  x = fmin(1.0, fmax(0.0, x));
  return hypot(a[0] + x * d[0], a[1] + x * d[1]);
}

jo_status jplant_guard_step(jplant_work* r, double t, const double* y, double* before) {
  int n = r->plant->dynamics->nguard;
  if (n == 0) return JO_OK;
  double* now = r->machine.guards;
  jmachine_look_at_guards(&r->machine, t, y, now);
  JO_TRY(jmachine_check_guards(&r->machine, t, before, now));
  for (int k = 0; k < n; k++) {
    if (now[k] < 0.5 || before[k] < 0.5) continue;
    const double a[2] = {before[n + k], before[2 * n + k]}, b[2] = {now[n + k], now[2 * n + k]};
    if (least_length(a, b) < r->machine.about->guard[k].least)
      return jmachine_fail_short(&r->machine, k, t);
  }
  memcpy(before, now, 3 * (size_t)n * sizeof *now);
  return JO_OK;
}
