// SPDX-License-Identifier: Apache-2.0
#include "sens/error/compare.h"

#include <math.h>

#include "plant/check/halved.h"
#include "plant/check/reference.h"
#include "sens/error/plan.h"
#include "solve/tableau.h"

// Times the difference: where a corner lies inside a step, halving may reduce its error by little.
#define OF_HALVED 20.0

// Times the difference from a run whose error is a thousandth.
#define OF_REFERENCE 4.0

#define ROUNDING 1e-13  // of the largest influence

// Events of the second run are taken so many tolerances of their location later: both runs are up to one late, and often by
// the same part of it, so that their difference would not show the location. Steps shorter than SHORTEST max(1, |t|) [s], between
// an event and what it leads to at once, are not halved: a node there would stop the delay.
#define LATER    1.25
#define SHORTEST 1e-10

// Newton's iterations leave errors in stages that go with the tolerance and not with the length of the steps. Those of the second run
// leave less by as much as the errors of its steps are smaller, so that the difference shows them.
#define NEWTON (1.0 / 32.0)

// Steps across singular positions cannot end in their middle. Those of the second run are shorter, about the position: with as
// much of the length a method of fifth order has a quarter of the error.
#define ACROSS 0.8

#define CLOSER 0.75  // of the distance to the position that other steps keep
#define ALIKE  0.01  // of what rounding may leave there

#define FEW_STEPS 2    // fixed steps that a run has at least, to say something
#define CUT       0.7  // of a fixed step: where steps are shorter in the mean, events cut them
#define MARGIN    2.0  // of estimates of the order of the method
#define RESOLVED  1.0  // |h lambda| of steps whose errors fall with the order of the method

// Changes of an objective for a change of a parameter by its own size: those of two runs are so many times apart where steps
// are unstable, and more than rounding: more than so much, in SI units, and than this part of the objective.
#define GROWN       1e6
#define GROWN_LEAST 1e-6
#define GROWN_PART  1e-3
#define GROWN_HUGE  1e30  // where the other one is not finite

void jsens_compare_begin(jsens_compare* c, jo_context* ctx) {
  *c = (jsens_compare){.ctx = ctx};
}

void jsens_compare_end(jsens_compare* c) {
  jmem_free(c->ctx, c->node);
}

// ---- adaptive steps ------------------------------------------------------------------------------

// To the next node; events move a little from run to run, and leave slivers of steps.
static double node_limit(void* user, double t) {
  const jsens_compare* c = user;
  int low = 0, high = c->n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (c->node[middle] <= t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low + 1 < c->n && c->node[low] - t < JSENS_SLIVER * (c->node[low + 1] - c->node[low])) low++;
  return low < c->n ? c->node[low] - t : INFINITY;
}

// A step that holds something narrower than it is may err by as much as its halves do.
static double expected_error(void* user, double t, double h) {
  const jsens_compare* c = user;
  if (h < JSOLVE_PARTS * SHORTEST * fmax(1.0, fabs(t))) return INFINITY;
  return jsens_narrow_expected(&c->narrow, t, h);
}

static jo_status add_node(jsens_compare* c, double t) {
  if (!jmem_grow(c->ctx, &c->node, &c->cap, c->n + 1, sizeof *c->node)) return jerr_memory(c->ctx);
  c->node[c->n++] = t;
  return JO_OK;
}

// The time at which step i passes a singular position, NaN: none; k: of the first that was not looked for.
static double find_across(const jsens_record* record, int i, int* k) {
  while (*k < record->nacross && record->across[*k].entry < i) {
    ++*k;
  }
  return *k < record->nacross && record->across[*k].entry == i ? record->across[*k].t : NAN;
}

// What steps beside it lose and gain is no step of its own.
static jo_status add_across(jsens_compare* c, const jsens_record* record, int i, double t) {
  double t0 = jsens_record_start(record, i), t1 = record->time[i];
  if (c->n > 0 && c->node[c->n - 1] == t0) c->n--;
  JO_TRY(add_node(c, t - ACROSS * (t - t0)));
  return add_node(c, t + ACROSS * (t1 - t));
}

// Ends of steps at events are left out: where those are is found anew.
static jo_status make_nodes(jsens_compare* c, const jsens_record* record) {
  int across = 0;
  c->n = 0;
  for (int i = 0; i < record->nentry; i++) {
    if (!jsens_record_is_step(record, i)) continue;
    if (jsens_record_length(record, i) < SHORTEST * fmax(1.0, fabs(record->time[i]))) continue;
    double t = find_across(record, i, &across);
    if (!isnan(t)) {
      JO_TRY(add_across(c, record, i, t));
      continue;
    }
    bool is_cut = i + 1 < record->nentry && !jsens_record_is_step(record, i + 1);
    double shortest = JSOLVE_PARTS * SHORTEST * fmax(1.0, fabs(record->time[i]));
    bool is_narrow =
        jsens_record_length(record, i) >= shortest && jsens_narrow_shows(&c->narrow, i);
    int parts = is_narrow ? JSOLVE_PARTS : 2;
    for (int k = parts - 1; k > 0; k--) {
      JO_TRY(add_node(c, record->time[i] - k * jsens_record_length(record, i) / parts));
    }
    if (!is_cut) JO_TRY(add_node(c, record->time[i]));
  }
  return JO_OK;
}

jo_status jsens_compare_halved(jsens_compare* c, const jsens_options* opt, const jsens_result* r,
                               jsens_options* out) {
  c->narrow = jsens_narrow_of(r->record, opt->solve.method);
  JO_TRY(make_nodes(c, r->record));
  *out = *opt;
  out->estimate = false;
  out->observer = NULL;
  out->closer_by = CLOSER;
  out->solve.step_limit = node_limit;
  out->solve.expected_error = expected_error;
  out->solve.step_limit_user = c;
  out->solve.event_delay = LATER;
  out->solve.newton_share = NEWTON;
  out->solve.max_steps *= 4;
  return JO_OK;
}

// ---- fixed steps ---------------------------------------------------------------------------------

void jsens_compare_step(const jsens_options* opt, const jsens_result* r, bool* is_longer,
                        jsens_options* out) {
  double span = opt->t_end - opt->t_start, mean = span / fmax(1.0, (double)r->statistics.steps);
  bool is_cut = mean < CUT * opt->solve.step;
  *out = *opt;
  out->estimate = false;
  out->observer = NULL;
  double longer = JPLANT_STEP_RATIO * opt->solve.step;
  bool is_resolved = JPLANT_STEP_RATIO * r->statistics.h_lambda <= RESOLVED;
  *is_longer = *is_longer && !is_cut && is_resolved && FEW_STEPS * longer <= span;
  out->solve.step = *is_longer ? longer : (is_cut ? mean : opt->solve.step) / JPLANT_STEP_RATIO;
}

// Of the order p of the method
//   error = |G(h) - G(s h)| / (s^p - 1) = |G(h) - G(h/s)| s^p / (s^p - 1)     s = JPLANT_STEP_RATIO
// where the longer steps resolve the motion, up to terms of higher order: MARGIN is for them. Shorter steps are taken where longer
// ones do not, and the error may fall with the first order only.
static double weight_of_step(const jsens_options* opt, const jsens_result* r, bool is_longer) {
  double power = pow(JPLANT_STEP_RATIO, jsolve_method_about(opt->solve.method)->order);
  if (r->statistics.h_lambda > RESOLVED) return power;
  return MARGIN * (is_longer ? 1.0 : power) / (power - 1.0);
}

// Derivatives of unstable steps: those of the two runs are orders of magnitude apart, and the larger one is not small.
static bool are_grown(const jsens_result* r, int o, int j) {
  int at = o * r->nw + j;
  double a = fabs(r->gradient[at]) * r->unit[j], b = fabs(r->other->gradient[at]) * r->unit[j];
  if (!isfinite(a)) return isfinite(b) && b > GROWN_HUGE;
  if (!isfinite(b)) return a > GROWN_HUGE;
  double least = fmax(GROWN_LEAST, GROWN_PART * fabs(r->value[o]));
  return fmax(a, b) > least && fmax(a, b) > GROWN * fmin(a, b);
}

static void drop_grown(jsens_result* r) {
  for (int i = 0; i < r->nobjective * r->nw; i++) {
    int o = i / r->nw;
    if (!are_grown(r, o, i % r->nw)) continue;
    r->has_grown[o] = true;
    r->gradient[i] = NAN;
  }
}

static void judge_step(const jsens* s, const jsens_options* opt, bool is_longer, jsens_result* r) {
  const jsens_result* other = r->other;
  double weight = weight_of_step(opt, r, is_longer);
  for (int i = 0; i < r->nobjective * r->nw; i++) {
    r->gradient_error[i] = weight * fabs(r->gradient[i] - other->gradient[i]);
  }
  for (int i = 0; i < r->nobjective; i++) {
    r->value_error[i] = weight * fabs(r->value[i] - other->value[i]);
  }
  jsens_plan_judge(s, opt, r);
  // of a motion that steps damp derivatives are orders of magnitude apart, too: those are compared with a more accurate run
  if (!jplant_reference_is_due(&opt->solve, &r->statistics)) drop_grown(r);
}

// ---- judging -------------------------------------------------------------------------------------

// (S39)  what the halved run does not know keeps its error
static double error_of(double part, double value, double halved, double rounding, double known) {
  double apart = part * fabs(value - halved);
  return isfinite(apart) ? apart + rounding : known;
}

// (S43)  two runs near a singular position differ by rounding errors, which may be alike by chance
static double noise_of(const jsens_result* r, int order) {
  return fmax(ROUNDING, r->nearest < 1.0 ? ALIKE * jsens_plan_rounding(r, order) : 0.0);
}

static void judge_objective(const jsens* s, int o, jsens_result* r) {
  const jsens_result* halved = r->other;
  double part = r->comparison == JSENS_REFERENCE ? OF_REFERENCE : OF_HALVED;
  double reach = jsens_plan_reach(s, r, o);
  double slope_noise = noise_of(r, 1), value_noise = noise_of(r, 0);
  for (int j = 0; j < r->nw; j++) {
    int at = o * r->nw + j;
    double size = r->unit[j] > 0.0 ? reach / r->unit[j] : fabs(r->gradient[at]);
    r->gradient_error[at] =
        error_of(part, r->gradient[at], halved->gradient[at],
                 slope_noise * size + jsens_rounding(r, o, j), r->gradient_error[at]);
  }
  r->value_error[o] =
      error_of(part, r->value[o], halved->value[o],
               value_noise * fabs(r->value[o]) + jsens_rounding_of_value(r, o), r->value_error[o]);
}

void jsens_compare_judge(const jsens* s, const jsens_options* opt, jsens_comparison how,
                         jsens_result* r) {
  r->comparison = how;
  if (how == JSENS_LONGER || how == JSENS_SHORTER) {
    judge_step(s, opt, how == JSENS_LONGER, r);
    return;
  }
  for (int o = 0; o < r->nobjective; o++) {
    judge_objective(s, o, r);
  }
  jsens_plan_settle(s, opt, r);
}
