// SPDX-License-Identifier: Apache-2.0
// Nothing but the ends of steps and the slopes of integrals and filters is looked at.
#include "plant/check/judge.h"

#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "gen/objective.h"

// times the errors of an integral, which tell no more than the order where steps are long
#define OF_VALUES 10.0
// times the error of one step, at the end of a run: where stiff parts hold explicit steps short, errors of as many add up
#define OF_STEPS 40.0
// times the error of one step: where stiff parts hold explicit steps short, signals of what is at rest are that large
#define OF_NOISE 100.0
#define EVERY    32     // steps: one of as many is asked what its error does to signals
#define SEVERAL  10.0   // steps that errors of multistep methods add up over
#define PLAIN    0.05   // errors worth a word without a filter: the ten is often too much there
#define ROUNDING 1e-12  // signals below are zero but for rounding, in their nominal size

// times the change with shorter steps: errors of steps that are too long fall with the first order at best
#define OF_CHANGE 2.0

static bool has_final(const jplant* p) {
  for (int i = 0; i < p->dynamics->nobjective; i++) {
    if (p->model->objective[i].has_final) return true;
  }
  return false;
}

// Filters smooth the noise of their signals: (O6) has what is left.
static bool has_power(const jplant* p) {
  for (int i = 0; i < p->dynamics->nintegral; i++) {
    const jmodel_objective* o = &p->model->integrated[i];
    if (o->power > 1.0 && jgen_objective_states(o) == 0) return true;
  }
  return false;
}

jo_status jplant_judge_begin(jarena* a, const jplant* p, const jsolve_options* solve,
                             jplant_judge* out) {
  int n = p->dynamics->nintegral, at = jgen_first(&p->dynamics->layout, JGEN_FILTER);
  bool is_fixed = jsolve_method_about(solve->method)->is_fixed;
  *out = (jplant_judge){.plant = p, .of = JARENA_ARRAY(a, n, jplant_seen)};
  if (!is_fixed) {
    out->rel_tol = solve->rel_tol;
    out->abs_tol = solve->abs_tol;
    out->tab = jsolve_tableau_find(solve->method);
    out->implicit = jsolve_tableau_implicit(solve->method);
  }
  bool is_read = out->tab && has_final(p), is_moved = out->tab && has_power(p);
  if (is_moved) out->moved = JARENA_ARRAY(a, 2 * p->dynamics->ny, double);
  if (is_read) out->recent = JARENA_ARRAY(a, JPLANT_RECENT * p->dynamics->ny, double);
  if (!out->of || (is_read && !out->recent) || (is_moved && !out->moved))
    return jerr_memory(a->ctx);
  for (int i = 0; i < n; i++) {
    out->of[i] = (jplant_seen){.first = at, .n = jgen_objective_states(&p->model->integrated[i])};
    at += out->of[i].n;
  }
  return JO_OK;
}

static double signed_error(const jsolve_tableau* tab, const jsolve_step* s, int i) {
  double sum = 0.0;
  for (int k = 0; k <= tab->stages; k++) {
    sum += tab->e[k] * s->k[k][i];
  }
  return (s->t1 - s->t0) * sum;
}

// The embedded method's error of state i; without one, what the tolerances allow.
static double error_of(const jplant_judge* j, const jsolve_step* s, int i, double allowed) {
  const jsolve_tableau* tab = s->is_implicit ? j->implicit : j->tab;
  return tab && s->k ? fabs(signed_error(tab, s, i)) : allowed;
}

static void keep_errors(jplant_judge* j, const jsolve_step* s) {
  const jsolve_tableau* tab = s->is_implicit ? j->implicit : j->tab;
  if (!j->recent || !tab || !s->k) return;
  int ny = j->plant->dynamics->ny;
  double* e = j->recent + (size_t)j->next * (size_t)ny;
  for (int i = 0; i < ny; i++) {
    e[i] = signed_error(tab, s, i);
  }
  j->next = (j->next + 1) % JPLANT_RECENT;
  if (j->nrecent < JPLANT_RECENT) j->nrecent++;
}

static void see_filter(const jplant_judge* j, const jsolve_step* s, jplant_seen* o) {
  const double* nominal = j->plant->dynamics->layout.nominal;
  for (int k = o->first; k < o->first + o->n; k++) {
    double size = fabs(s->y1[k]), allowed = j->abs_tol * nominal[k] + j->rel_tol * size;
    o->fed = fmax(o->fed, size);
    o->off = fmax(o->off, error_of(j, s, k, SEVERAL * allowed));
  }
}

// (O8)  by how much an error of this step moves signals whose powers are integrated
static void see_noise(jplant_judge* j, const jsolve_step* s) {
  const jsolve_tableau* tab = s->is_implicit ? j->implicit : j->tab;
  if (!j->moved || !tab || !s->k || ++j->steps % EVERY != EVERY / 4) return;
  int ny = j->plant->dynamics->ny, first = jgen_first(&j->plant->dynamics->layout, JGEN_INTEGRAL);
  double *y = j->moved, *f = y + ny;
  for (int i = 0; i < ny; i++) {
    y[i] = s->y1[i] + signed_error(tab, s, i);
  }
  s->sys->rhs(s->sys->user, s->t1, y, f);
  for (int i = 0; i < j->plant->dynamics->nintegral; i++) {
    double n = j->plant->model->integrated[i].power, is = s->k[tab->stages][first + i];
    double off = fabs(pow(fmax(f[first + i], 0.0), 1.0 / n) - pow(fmax(is, 0.0), 1.0 / n));
    if (n == 1.0 || j->of[i].n > 0 || s->y1[first + i] == s->y0[first + i] || !isfinite(off))
      continue;
    j->of[i].noise += pow(off, n);
    j->of[i].looks++;
  }
}

void jplant_judge_step(jplant_judge* j, const jsolve_step* s) {
  int first = jgen_first(&j->plant->dynamics->layout, JGEN_INTEGRAL);
  if (j->abs_tol == 0.0) return;
  keep_errors(j, s);
  see_noise(j, s);
  for (int i = 0; i < j->plant->dynamics->nintegral; i++) {
    jplant_seen* o = &j->of[i];
    double dw = s->y1[first + i] - s->y0[first + i];
    if (dw == 0.0) continue;
    o->w += dw;
    o->grown += fabs(dw);
    o->w_off += error_of(j, s, first + i, 0.0);
    o->time += s->t1 - s->t0;
    see_filter(j, s, o);
  }
}

// (O8)  what errors of the states make of the signal, relative to its size
static double noise_of(const jmodel_objective* o, const jplant_seen* k, double size) {
  if (k->looks == 0) return 0.0;
  return OF_NOISE * o->nominal * pow(k->noise / k->looks, 1.0 / o->power) / size;
}

// By how much an integral is smaller than what went into it with either sign, and its relative error larger. A value at the
// end may be added to it; errors of filters are no sums.
static double cancelled(const jmodel_objective* o, const jplant_seen* k) {
  bool is_sum = o->power == 1.0 && !o->has_final && k->n == 0;
  return is_sum && k->w != 0.0 ? k->grown / fabs(k->w) : 1.0;
}

// (O6)  powers do not sink: where w did, that is error
jplant_doubt jplant_judge_value(const jplant_judge* j, int objective) {
  const jmodel_objective* o = &j->plant->model->objective[objective];
  const jplant_seen* k = &j->of[o->integral];
  jplant_doubt d = {.fed = k->fed};
  if (k->time == 0.0) return d;
  double n = o->power, off = OF_VALUES * k->w_off / k->grown, own = 0.0;
  d.size = (n > 1.0 ? o->nominal : 1.0) * pow(k->grown / k->time, 1.0 / n);
  if (!(d.size > ROUNDING * o->nominal)) return d;
  if (k->n > 0 || d.size < o->nominal) {
    if (n > 1.0) off += k->w > 0.0 ? k->grown / k->w - 1.0 : INFINITY;
    double part = cancelled(o, k);
    own = part * (off / n + k->off / d.size);
    d.or_more = part * off >= 1.0;
  }
  double noise = noise_of(o, k, d.size);
  if (own + noise > (k->n > 0 ? JPLANT_DOUBTED : PLAIN)) d.error = own + noise;
  d.by_states = noise > own;
  return d;
}

void jplant_judge_change(jplant_judge* j) {
  j->nrecent = j->next = 0;
}

// (O7)  |psi(y + e) - psi(y)|, e: errors of single steps
void jplant_judge_end(const jplant_judge* j, jmachine* m, double t, const double* y,
                      const double* psi, double* work, double* error) {
  int ny = j->plant->dynamics->ny, no = j->plant->dynamics->nobjective;
  const jmodel_objective* o = j->plant->model->objective;
  double* other = work + ny;
  memset(error, 0, (size_t)no * sizeof *error);
  for (int k = 0; k < j->nrecent; k++) {
    const double* e = j->recent + (size_t)k * (size_t)ny;
    for (int i = 0; i < ny; i++) {
      work[i] = y[i] + e[i];
    }
    jmachine_objectives(m, t, work, other);
    for (int i = 0; i < no; i++) {
      error[i] = fmax(error[i], OF_STEPS * fabs(other[i] - psi[i]));
    }
  }
  for (int i = 0; i < no; i++) {
    bool counts = o[i].has_final && error[i] > PLAIN * fabs(psi[i]) && error[i] > j->abs_tol;
    if (!counts) error[i] = 0.0;
  }
}

#define STIRRED 1e-6  // of a state: the increment that shows what the state is worth

// (S44)  sum |d psi / d y_i  y_i|
void jplant_judge_reach(const jplant* p, jmachine* m, double t, const double* y, const double* psi,
                        double* work, double* reach) {
  int ny = p->dynamics->ny, no = p->dynamics->nobjective;
  double* other = work + ny;
  memset(reach, 0, (size_t)no * sizeof *reach);
  memcpy(work, y, (size_t)ny * sizeof *work);
  for (int k = 0; k < ny; k++) {
    work[k] = y[k] + STIRRED * y[k];
    jmachine_objectives(m, t, work, other);
    for (int i = 0; i < no; i++) {
      double moved = fabs(other[i] - psi[i]) / STIRRED;
      if (isfinite(moved)) reach[i] += moved;
    }
    work[k] = y[k];
  }
}

#define OFF     48   // characters
#define NOTHING 0.5  // of a value, that it is off by: then it is said to have no digit

static void describe_off(double error, bool or_more, char* out) {
  if (error < NOTHING) {
    jformat(out, OFF, "be off by %.2g %%%s", 100.0 * error, or_more ? " or more" : "");
  } else {
    jformat(out, OFF, "have no true digit");
  }
}

void jplant_warn_end(jo_context* ctx, const jmodel_objective* o, double value, double error) {
  char off[OFF];
  describe_off(error / fabs(value), false, off);
  jerr_warn(ctx,
            "%s:%d: objective '%s' came out as %.3g and may %s: errors of the states at the end of "
            "the run, which the tolerance allows, change it by about %.2g; hint: a smaller %s",
            o->place.file, o->place.line, o->name, value, off, error,
            jerr_option_name(ctx, JERR_TOLERANCE));
}

void jplant_warn_step(jo_context* ctx, const jmodel_objective* o, double value, double other,
                      double step, double shorter) {
  char off[OFF];
  describe_off(OF_CHANGE * fabs(other - value) / fabs(value), false, off);
  jerr_warn(ctx,
            "%s:%d: objective '%s' came out as %.3g and may %s: it changes to %.3g with steps of "
            "%.3g s instead of %.3g s; hint: a smaller %s, or an adaptive method",
            o->place.file, o->place.line, o->name, value, off, other, shorter, step,
            jerr_option_name(ctx, JERR_STEP));
}

void jplant_warn_doubt(jo_context* ctx, const jmodel_objective* o, double value,
                       const jplant_doubt* d) {
  char off[OFF], hint[96] = "";
  describe_off(d->error, d->or_more, off);
  if (d->by_states) {
    jerr_warn(ctx,
              "%s:%d: objective '%s' came out as %.3g and may %s: errors of the states, which the "
              "tolerance allows, show in its signal, about %.2g; hint: a smaller %s",
              o->place.file, o->place.line, o->name, value, off, d->size,
              jerr_option_name(ctx, JERR_TOLERANCE));
    return;
  }
  // what is much smaller than what goes into the filter is lost in that, whatever it is measured by
  bool is_hidden = d->size < JPLANT_DOUBTED * d->fed;
  if (!is_hidden && d->size < 0.5 * o->nominal) {
    jformat(hint, sizeof hint, "'nominal: %.2g', the size of its signal, or ", d->size);
  }
  jerr_warn(
      ctx,
      "%s:%d: objective '%s' came out as %.3g and may %s: %s, about %.2g%s, is too little for "
      "the tolerance; hint: %sa smaller %s",
      o->place.file, o->place.line, o->name, value, off,
      d->fed > 0.0 ? "what its filter lets pass" : "its signal", d->size,
      is_hidden ? " of a signal that is much larger" : "", hint,
      jerr_option_name(ctx, JERR_TOLERANCE));
}
