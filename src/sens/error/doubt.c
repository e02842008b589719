// SPDX-License-Identifier: Apache-2.0
#include "sens/error/doubt.h"

#include <math.h>

#include "base/err.h"
#include "base/text/format.h"

#define LEAST_PASSING 5e-9  // a tenth of such a tolerance still leads across singular positions
#define MOST_REMEDY   160

void jsens_doubt_add(jsens_doubt* d, double value, double gradient, double error, double unit,
                     const char* objective, const char* number) {
  d->all++;
  if (isnan(error) || error == 0.0) return;
  if (isinf(error)) {
    if (d->one_sided++ == 0) d->first_one_sided = number;
    return;
  }
  double part = error / jsens_scale(value, gradient, unit);
  if (part <= d->wanted) return;
  d->beyond++;
  if (part <= d->most) return;
  d->most = part;
  d->objective = objective;
  d->number = number;
}

double jsens_doubt_value(const jsens_result* r, int objective) {
  if (r->is_lost[objective]) return INFINITY;
  double known = r->value_error[objective] / fabs(r->value[objective]);
  double error = r->doubt[objective].error;
  if (known < error) error = known;  // there may be none
  return error > JPLANT_DOUBTED ? error : 0.0;
}

void jsens_doubt_side(jsens_doubt* d, const jsens_result* r, const jplant* p, int number) {
  if (d->brink || d->tips) return;
  int k = r->brink[number], i = r->tips[number];
  if (k >= 0) d->brink = p->switch_name[k];
  if (k >= 0) d->brink_at = r->brink_at[number];
  if (k >= 0 && r->brink_with[number] >= 0) d->with = p->switch_name[r->brink_with[number]];
  if (k < 0 && i >= 0) d->tips = p->dynamics->layout.name[i];
}

static void warn_of_one_side(jo_context* ctx, const jsens_doubt* d, const char* path) {
  if (d->tips) {
    jerr_warn(ctx,
              "%s: %d of %d derivatives are those of one side, without an error bar: nothing holds "
              "'%s' at static equilibrium, and the least change of '%s' makes it hang or tip over; "
              "hint: hold '%s' by a spring, or leave the parameter out",
              path, d->one_sided, d->all, d->tips, d->first_one_sided, d->tips);
    return;
  }
  if (d->brink && !isnan(d->brink_at)) {
    jerr_warn(
        ctx,
        "%s: %d of %d derivatives are those of one side, without an error bar: at %.12g s the "
        "event '%s' falls on %s%s%s, and the least change of '%s' decides %s; hint: move one "
        "of them a little",
        path, d->one_sided, d->all, d->brink_at, d->brink, d->with ? "'" : "",
        d->with ? d->with : "the end of the run", d->with ? "'" : "", d->first_one_sided,
        d->with ? "which comes first" : "whether it happens");
    return;
  }
  if (!d->brink) {  // of a sweep, which has all kinds
    jerr_warn(ctx,
              "%s: %d of %d derivatives are those of one side, without an error bar: the least "
              "change of '%s' throws a switch at the start, makes hang or tip over what nothing "
              "holds at static equilibrium, or moves an event across another one or the end of the "
              "run; hint: take values a little beside",
              path, d->one_sided, d->all, d->first_one_sided);
    return;
  }
  jerr_warn(ctx,
            "%s: %d of %d derivatives are those of one side, without an error bar: the run starts "
            "where the least change of '%s' throws a switch (%s); hint: start a little beside it",
            path, d->one_sided, d->all, d->first_one_sided, d->brink);
}

// What helps; near singular positions nothing may.
static const char* remedy_of(const jo_context* ctx, const jsens_doubt* d, char text[MOST_REMEDY]) {
  jerr_option remedy = d->is_fixed       ? JERR_STEP
                       : d->is_asked_for ? JERR_DERIVATIVE_TOLERANCE
                                         : JERR_TOLERANCE;
  if (d->is_fixed || d->singular_tol == 0.0) {
    jformat(text, MOST_REMEDY, "; hint: %s %s",
            remedy == JERR_DERIVATIVE_TOLERANCE ? "set" : "a smaller",
            jerr_option_name(ctx, remedy));
    return text;
  }
  char hint[MOST_REMEDY / 2] = "";
  if (d->singular_tol >= LEAST_PASSING) {
    jformat(hint, sizeof hint, "; hint: a smaller %s, %.0e", jerr_option_name(ctx, JERR_TOLERANCE),
            0.1 * d->singular_tol);
  }
  jformat(text, MOST_REMEDY, ": the motion passes a singular position, where errors grow%s", hint);
  return text;
}

void jsens_doubt_warn(jo_context* ctx, const jsens_doubt* d, const char* path) {
  if (d->beyond > 0) {
    char remedy[MOST_REMEDY];
    jerr_warn(ctx,
              "%s: %d of %d derivatives may be off by more than %.0e of themselves (the worst, by "
              "%.1e: d %s / d %s)%s",
              path, d->beyond, d->all, d->wanted, d->most, d->objective, d->number,
              remedy_of(ctx, d, remedy));
  }
  if (d->one_sided > 0) warn_of_one_side(ctx, d, path);
}
