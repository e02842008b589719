// SPDX-License-Identifier: Apache-2.0
#include "sens/error/verdict.h"

#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "plant/check/halved.h"
#include "sens/error/doubt.h"
#include "solve/method.h"

#define OFF   48
#define WHERE 64
#define OF_CHANGE \
  2.0  // times the change with shorter steps: errors of steps that are too long fall with the first order
#define NOTHING 0.5  // of a value, that it is off by: then it is said to have no digit

// ---- of a run --------------------------------------------------------------------------------------

// (I11)
static jsens_value_doubt of_steps(const jmodel_objective* about, const jsens_result* r, int o) {
  double value = r->value[o], halved = r->halved[o], change = fabs(halved - value);
  if (isnan(halved)) return (jsens_value_doubt){0};
  if (isinf(halved)) return (jsens_value_doubt){.off = INFINITY, .cause = JSENS_FAILS};
  if (!jplant_halved_counts(change, value, r->largest[o], about->nominal))
    return (jsens_value_doubt){0};
  double off = OF_CHANGE * change / fabs(value);
  return (jsens_value_doubt){.off = off, .other = halved, .cause = JSENS_STEPS};
}

// (I17)
static jsens_value_doubt of_reference(const jmodel_objective* about, const jsens_result* r, int o) {
  double value = r->value[o], other = r->reference[o], change = fabs(other - value);
  double scale = fmax(r->largest[o], fabs(other));
  if (isnan(other)) return (jsens_value_doubt){0};
  if (isfinite(other) && !jplant_halved_counts(change, value, scale, about->nominal))
    return (jsens_value_doubt){0};
  double off = isfinite(other) ? change / fabs(value) : INFINITY;
  return (jsens_value_doubt){.off = off, .other = other, .cause = JSENS_ADDS};
}

// The first cause counts, in the order of those that `run` warns of.
static jsens_value_doubt judge(const jmodel* m, const jsens_result* r, int o) {
  double off = jsens_doubt_value(r, o), size = fabs(r->value[o]);
  if (r->cut[o] > 0.0) {
    return (jsens_value_doubt){.off = r->cut[o], .other = r->cut[o], .cause = JSENS_CUT};
  }
  bool is_end = r->end_error[o] > 0.0 && !(r->value_error[o] <= JPLANT_DOUBTED * size);
  if (off > 0.0) {
    bool by_states = !r->is_lost[o] && r->doubt[o].by_states;
    return (jsens_value_doubt){.off = off, .cause = by_states ? JSENS_STATES : JSENS_LOST};
  }
  if (is_end) return (jsens_value_doubt){.off = r->end_error[o] / size, .cause = JSENS_END};
  jsens_value_doubt d = of_steps(&m->objective[o], r, o);
  return d.cause != JSENS_SURE ? d : of_reference(&m->objective[o], r, o);
}

void jsens_verdict_of_failure(const jmodel* m, jsens_verdict* out) {
  out->is_checked = true;
  for (int o = 0; o < m->nobjective; o++) {
    out->value[o].off = INFINITY;
    out->value[o].other = NAN;
    out->value[o].cause = JSENS_ADDS;
  }
}

void jsens_verdict_of(const jmodel* m, const jsens_result* r, jsens_verdict* out) {
  out->is_checked = true;
  out->is_near = r->nearest < 1.0;
  out->unresolved = r->statistics.unresolved;
  out->resolving = r->statistics.resolving;
  out->growth = r->rested.growth;
  out->growing = r->rested.growing;
  out->wheels = r->wheels;
  for (int o = 0; o < r->nobjective; o++) {
    double single = out->value[o].single;
    out->value[o] = judge(m, r, o);
    out->value[o].single = single;
  }
}

static void describe_off(double off, char text[OFF]) {
  if (off < NOTHING) {
    jformat(text, OFF, "be off by %.2g %%", 100.0 * off);
  } else {
    jformat(text, OFF, "have no true digit");
  }
}

static void describe_cause(const jsens_value_doubt* d, char text[WHERE]) {
  static const char* const why[JSENS_CAUSES] = {
      [JSENS_LOST] = "its signal is below what the run resolves",
      [JSENS_STATES] = "errors of the states show in its signal",
      [JSENS_END] = "errors of the states at the end show in it",
      [JSENS_FAILS] = "with shorter steps the run fails",
      [JSENS_ADDS] = "errors of the steps add up"};
  if (d->cause == JSENS_ADDS && isfinite(d->other)) {
    jformat(text, WHERE, "a more accurate run comes to about %.3g", d->other);
  } else if (d->cause == JSENS_STEPS) {
    jformat(text, WHERE, "with shorter steps it is about %.3g", d->other);
  } else {
    jformat(text, WHERE, "%s", why[d->cause]);
  }
}

static void describe(const jsens_value_doubt* d, const char* name, double value,
                     char text[JSENS_VERDICT_TEXT]) {
  char off[OFF], cause[WHERE];
  if (d->cause == JSENS_CUT) {
    jformat(text, JSENS_VERDICT_TEXT,
            "objective '%.80s' lacks the last %.6g s of its window, as end_when ends the run "
            "inside of it",
            name, d->other);
    return;
  }
  describe_off(d->off, off);
  describe_cause(d, cause);
  jformat(text, JSENS_VERDICT_TEXT, "objective '%.80s' came out as %.3g and may %s: %s", name,
          value, off, cause);
}

static void append(char text[JSENS_VERDICT_TEXT], const char* more) {
  size_t n = strlen(text);
  jformat(text + n, JSENS_VERDICT_TEXT - n, "%s%s", n > 0 ? "; " : "", more);
}

void jsens_verdict_text(const jsens* s, const jsolve_options* solve, const jsens_verdict* v,
                        const double* value, char text[JSENS_VERDICT_TEXT]) {
  char one[JSENS_VERDICT_TEXT];
  text[0] = '\0';
  if (v->unresolved > 0) {
    jformat(one, sizeof one, "steps of %g s do not follow the motion of '%.80s'", solve->step,
            s->plant->about.state_name[v->unresolved - 1]);
    append(text, one);
  }
  if (v->growth > 0.0) {
    jformat(one, sizeof one,
            "the static equilibrium is unstable: a small push grows with a rate of %.3g 1/s",
            v->growth);
    append(text, one);
  }
  for (int o = 0; o < s->plant->dynamics->nobjective; o++) {
    const jsens_value_doubt* d = &v->value[o];
    if (d->cause == JSENS_SURE) continue;
    describe(d, s->plant->model->objective[o].name, value[o], one);
    append(text, one);
  }
}

// ---- of many ---------------------------------------------------------------------------------------

jo_status jsens_verdicts_begin(jarena* a, const jsens* s, const jsolve_options* solve,
                               jsens_verdicts* out) {
  int n = s->plant->dynamics->nobjective;
  *out = (jsens_verdicts){.sens = s, .solve = solve};
  out->of = JARENA_ARRAY(a, n * JSENS_CAUSES, jsens_worst);
  return out->of ? JO_OK : jerr_memory(a->ctx);
}

static void add_unresolved(jsens_verdicts* v, const jsens_verdict* of) {
  if (of->unresolved == 0) return;
  if (v->unresolved++ == 0) {
    v->state = of->unresolved - 1;
    v->resolving = of->resolving;
  }
  v->resolving = fmin(v->resolving, of->resolving);
}

void jsens_verdicts_add(jsens_verdicts* v, const jsens_verdict* of, const double* value) {
  v->checked += of->is_checked;
  v->near += of->is_near;
  add_unresolved(v, of);
  v->unstable += of->growth > 0.0;
  if (of->growth > v->growth) {
    v->growth = of->growth;
    v->growing = of->growing;
  }
  for (int o = 0; o < v->sens->plant->dynamics->nobjective; o++) {
    const jsens_value_doubt* d = &of->value[o];
    jsens_worst* w = &v->of[o * JSENS_CAUSES + d->cause];
    if (d->cause == JSENS_SURE) continue;
    if (w->n++ > 0 && !(d->off > w->off)) continue;
    w->off = d->off;
    w->value = value[o];
    w->other = d->other;
  }
}

// "2 of 100 points", "2 of 8 points that were checked, of 100"
static void describe_where(const jsens_verdicts* v, int n, int points, char text[WHERE]) {
  if (v->checked < points) {
    jformat(text, WHERE, "%d of %d points that were checked, of %d", n, v->checked, points);
  } else {
    jformat(text, WHERE, "%d of %d points", n, points);
  }
}

static bool is_fixed(const jsens_verdicts* v) {
  return jsolve_method_about(v->solve->method)->is_fixed;
}

static void explain_sum(const jo_context* ctx, const jsens_verdicts* v, const jsens_worst* w,
                        char text[JSENS_VERDICT_TEXT]) {
  char other[WHERE];
  jformat(other, sizeof other, "%s",
          isnan(w->other) ? "they make the motion" : "a more accurate run fails");
  if (isfinite(w->other))
    jformat(other, sizeof other, "a more accurate run comes to %.3g", w->other);
  jformat(text, JSENS_VERDICT_TEXT, ": errors of the steps add up, and %s; hint: a smaller %s%s",
          other, jerr_option_name(ctx, is_fixed(v) ? JERR_STEP : JERR_TOLERANCE),
          is_fixed(v) ? ", or an adaptive method" : "");
}

// Why, and what helps.
static void explain(const jo_context* ctx, const jsens_verdicts* v, jsens_cause cause,
                    const jsens_worst* w, char text[JSENS_VERDICT_TEXT]) {
  const char* tolerance = jerr_option_name(ctx, JERR_TOLERANCE);
  const char* step = jerr_option_name(ctx, JERR_STEP);
  switch (cause) {
    case JSENS_LOST:
      jformat(text, JSENS_VERDICT_TEXT,
              ", its signal, or the power of it, being below what the run resolves; hint: "
              "'nominal', the size of its signal%s%s",
              is_fixed(v) ? "" : ", or a smaller ", is_fixed(v) ? "" : tolerance);
      break;
    case JSENS_STATES:
      jformat(text, JSENS_VERDICT_TEXT,
              ", as errors of the states, which the tolerance allows, show in its signal; hint: a "
              "smaller %s",
              tolerance);
      break;
    case JSENS_END:
      jformat(
          text, JSENS_VERDICT_TEXT,
          ", as errors of the states at the end of the run, which the tolerance allows, show in "
          "it; hint: a smaller %s",
          tolerance);
      break;
    case JSENS_STEPS:
      jformat(text, JSENS_VERDICT_TEXT,
              ": it changes to about %.3g with steps shorter than %g s; hint: a smaller %s, or "
              "an adaptive method",
              w->other, v->solve->step, step);
      break;
    case JSENS_FAILS:
      jformat(
          text, JSENS_VERDICT_TEXT,
          ": the run fails with steps shorter than %g s; hint: a smaller %s, or an adaptive method",
          v->solve->step, step);
      break;
    case JSENS_ADDS: explain_sum(ctx, v, w, text); break;
    case JSENS_SURE:
    case JSENS_CUT:
    case JSENS_CAUSES: text[0] = '\0'; break;
  }
}

static void warn_of_value(jo_context* ctx, const jsens_verdicts* v, int points, int o,
                          jsens_cause cause) {
  const jsens_worst* w = &v->of[o * JSENS_CAUSES + (int)cause];
  const jmodel_objective* about = &v->sens->plant->model->objective[o];
  char where[WHERE], off[OFF], why[JSENS_VERDICT_TEXT];
  if (w->n == 0) return;
  describe_where(v, w->n, points, where);
  if (cause == JSENS_CUT) {
    jerr_warn(ctx,
              "%s:%d: objective '%s': the run ends by its condition (end_when) inside of its "
              "window at %s, and its value is of what is there: the last %.6g s are missing where "
              "it is most; hint: choose a window that ends before, or let the runs go on",
              about->place.file, about->place.line, about->name, where, w->other);
    return;
  }
  describe_off(w->off, off);
  explain(ctx, v, cause, w, why);
  jerr_warn(ctx, "%s:%d: objective '%s' is in doubt at %s: the worst came out as %.3g and may %s%s",
            about->place.file, about->place.line, about->name, where, w->value, off, why);
}

static void warn_of_unresolved(jo_context* ctx, const jsens_verdicts* v, int points) {
  char where[WHERE];
  if (v->unresolved == 0) return;
  jformat(where, WHERE, "%d of %d points", v->unresolved, points);
  jerr_warn(
      ctx,
      "%s: %s with steps of %g s does not follow the motion at %s: '%s' changes by as much as "
      "its own size where steps are halved, so that results may be far off; hint: %s below "
      "%.1e s, or an adaptive method",
      v->sens->plant->model->path, jsolve_method_name(v->solve->method), v->solve->step, where,
      v->sens->plant->about.state_name[v->state], jerr_option_name(ctx, JERR_STEP), v->resolving);
}

static void warn_of_unstable(jo_context* ctx, const jsens_verdicts* v, int points) {
  char where[WHERE];
  if (v->unstable == 0) return;
  jformat(where, WHERE, "%d of %d points", v->unstable, points);  // all starts are judged
  jerr_warn(ctx,
            "%s: the static equilibrium is unstable at %s: a small push grows with a rate of up to "
            "%.3g 1/s, most in '%s', so that runs that begin there show how rounding errors grow; "
            "begin beside it (initial, guess), or add what holds '%s'",
            v->sens->plant->model->path, where, v->growth,
            v->sens->plant->dynamics->layout.name[v->growing],
            v->sens->plant->dynamics->layout.name[v->growing]);
}

void jsens_verdicts_warn(jo_context* ctx, const jsens_verdicts* v, int points) {
  for (int o = 0; o < v->sens->plant->dynamics->nobjective; o++) {
    for (int cause = JSENS_SURE + 1; cause < JSENS_CAUSES; cause++) {
      warn_of_value(ctx, v, points, o, (jsens_cause)cause);
    }
  }
  warn_of_unresolved(ctx, v, points);
  warn_of_unstable(ctx, v, points);
}
