// SPDX-License-Identifier: Apache-2.0
// What is not finite, and why: the operation at fault is looked for in the graph, with the values the run
// had there.
#include "plant/check/finite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/format.h"
#include "expr/tape/blame.h"

#define CAUSE       (JEXPR_BLAME_SIZE + 64)
#define UNRESOLVED  10.0    // tolerances: signals below are errors as much as motion
#define ROUNDING    1e-12   // signals below are zero but for rounding, in their nominal size
#define LEAST_POWER 1e-280  // smaller ones have no inverse, or next to none: derivatives need it

const char* jplant_finite_text(double x) {
  return isnan(x) ? "not a number" : "infinite";
}

int jplant_finite_first(const double* x, int n) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) return i;
  }
  return -1;
}

// ": log(-99.2) has no finite value" or ""
static void find_cause(jplant_work* r, const jexpr_fn* fn, int which, double t, const double* y,
                       char cause[CAUSE]) {
  const double* in[JGEN_GROUP_COUNT] = {
      JPLANT_INPUTS(r, &t, y), [JGEN_MOMENTUM] = r->machine.momentum,
      [JGEN_FIRED] = r->machine.fired};
  char operation[JEXPR_BLAME_SIZE];
  jexpr_blame(r->ctx, fn->graph, fn->out[0].ref[which], in, operation);
  cause[0] = '\0';
  if (operation[0]) jformat(cause, CAUSE, ": %s has no finite value", operation);
}

// ---- objectives ----------------------------------------------------------------------------------

static jo_status fail_objective(jplant_work* r, int which, double t, const double* y,
                                double value) {
  const jmodel_objective* o = &r->plant->model->objective[which];
  const jmodel_place* at = o->has_final ? &o->final.place : &o->place;
  char cause[CAUSE];
  find_cause(r, &r->plant->dynamics->fn[JGEN_FN_OBJECTIVE], which, t, y, cause);
  bool is_quoted = o->has_final && o->final.text;
  return jerr_set(
      r->ctx, JO_ERR_NUMERIC,
      "%s:%d: objective '%s' is %s at the end of the run, t = %.9g s%s%s%s%s; hint: keep "
      "its expression where it is defined",
      at->file, at->line, o->name, jplant_finite_text(value), t, cause,
      is_quoted ? " (final: " : "", is_quoted ? o->final.text : "", is_quoted ? ")" : "");
}

jo_status jplant_finite_objectives(jplant_work* r, double t, const double* y, const double* psi) {
  int bad = jplant_finite_first(psi, r->plant->dynamics->nobjective);
  return bad < 0 ? JO_OK : fail_objective(r, bad, t, y, psi[bad]);
}

static double integral(const jplant* p, int objective, const double* y) {
  int which = p->model->objective[objective].integral;
  return y[jgen_first(&p->dynamics->layout, JGEN_INTEGRAL) + which];
}

static bool has_root(const jplant* p, int objective) {
  return p->about.has_root[p->model->objective[objective].integral];
}

bool jplant_is_unheld(const jplant* p, int objective, const double* y, double abs_tol) {
  return has_root(p, objective) && integral(p, objective, y) < abs_tol;
}

bool jplant_is_lost(const jplant* p, int objective, const double* y, double abs_tol) {
  const jmodel_objective* o = &p->model->objective[objective];
  double w = integral(p, objective, y);
  if (!has_root(p, objective) || (w == 0.0 && o->has_nominal)) return false;
  double size = pow(fmax(fabs(w), LEAST_POWER), 1.0 / o->power);  // of the signal, about
  return size > ROUNDING && (w < LEAST_POWER || size < UNRESOLVED * abs_tol);
}

void jplant_warn_lost(jo_context* ctx, const jmodel_objective* o, double value, bool is_fixed) {
  char size[32] = "...";
  if (value > 0.0 && !o->has_final) jformat(size, sizeof size, "%.2g", value);
  jerr_warn(
      ctx,
      "%s:%d: objective '%s' came out as %.3g and may have no true digit: its signal, or the "
      "%s of it, is below what the run resolves; hint: 'nominal: %s', the size of its signal%s%s",
      o->place.file, o->place.line, o->name, value, o->power == 2.0 ? "square" : "power", size,
      is_fixed ? "" : ", or a smaller ", is_fixed ? "" : jerr_option_name(ctx, JERR_TOLERANCE));
}

jo_status jplant_resolved_objectives(jplant_work* r, const double* y, double abs_tol) {
  const jgen_dynamics* d = r->plant->dynamics;
  for (int i = 0; i < d->nobjective; i++) {
    const jmodel_objective* o = &r->plant->model->objective[i];
    double w = integral(r->plant, i, y);
    if (!has_root(r->plant, i) || w >= -abs_tol) continue;
    return jerr_set(
        r->ctx, JO_ERR_NUMERIC,
        "%s:%d: objective '%s' is lost in the errors of the run: the integral of its %s came "
        "out negative, %.3g; hint: a smaller %s or %s",
        o->place.file, o->place.line, o->name, o->power == 2.0 ? "square" : "power", w,
        jerr_option_name(r->ctx, JERR_TOLERANCE), jerr_option_name(r->ctx, JERR_STEP));
  }
  return JO_OK;
}

// ---- outputs -------------------------------------------------------------------------------------

static const jmodel_signal* find_sensor(const jmodel* m, const char* name) {
  for (int i = 0; i < m->nsignal; i++) {
    if (m->signal[i].is_output && strcmp(m->signal[i].name, name) == 0) return &m->signal[i];
  }
  return NULL;
}

jo_status jplant_finite_output(jplant_work* r, double t, const double* y, int which, double value) {
  const jgen_dynamics* d = r->plant->dynamics;
  const char* name = d->output_name[which];
  const jmodel_signal* s = find_sensor(r->plant->model, name);
  char cause[CAUSE];
  find_cause(r, &d->fn[JGEN_FN_OUTPUTS], which, t, y, cause);
  if (!s) {
    return jerr_set(r->ctx, JO_ERR_NUMERIC, "%s: output '%s' is %s at t = %.9g s%s",
                    r->plant->model->path, name, jplant_finite_text(value), t, cause);
  }
  return jerr_set(
      r->ctx, JO_ERR_NUMERIC,
      "%s:%d: sensor '%s' is %s at t = %.9g s%s; hint: keep its expression where it is defined",
      s->value.place.file, s->value.place.line, name, jplant_finite_text(value), t, cause);
}

// ---- rates ---------------------------------------------------------------------------------------

jo_status jplant_finite_rate(jplant_work* r, double t, const double* y, int which) {
  char cause[CAUSE];
  JO_TRY(jplant_explain_spin(r, t, y));
  find_cause(r, &r->plant->dynamics->fn[JGEN_FN_RHS], which, t, y, cause);
  return jerr_set(r->ctx, JO_ERR_NUMERIC,
                  "%s: the rate of change of '%s' has no finite value at t = %.9g s%s",
                  r->plant->model->path, r->plant->dynamics->layout.name[which], t, cause);
}
