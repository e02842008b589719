// SPDX-License-Identifier: Apache-2.0
// Are the derivatives of a run as accurate as they were wanted, and if not, how is the next run to be
// taken? docs/theory/sensitivity.md, "Accuracy".
#ifndef JSENS_PLAN_H
#define JSENS_PLAN_H

#include "sens/sens.h"

// Limits of steps along a run, made from the steps of the run before.
typedef struct jsens_plan {
  jo_context* ctx;
  int n, cap;
  struct jsens_plan_limit {
    double t0, t1, h;  // steps that begin in [t0, t1) are not longer than h [s]
  } * limit;
} jsens_plan;

void jsens_plan_begin(jsens_plan* p, jo_context* ctx);
void jsens_plan_end(jsens_plan* p);

// Relative error wanted of derivatives.
double jsens_plan_tolerance(const jsens_options* opt);

// Relative local error of derivatives in a step that is planned for them.
double jsens_plan_step_tolerance(const jsens_options* opt);

// Puts what a walk said of growth into the order of its steps.
void jsens_plan_order(jsens_result* r);

// Completes the estimates of a walk with what every derivative must be granted, and judges them:
// r->is_within.
void jsens_plan_judge(const jsens* s, const jsens_options* opt, jsens_result* r);

// The largest change of an objective by a change of a parameter as large as itself; at least its value.
double jsens_plan_reach(const jsens* s, const jsens_result* r, int objective);

// Rounding errors of objectives (order 0) and their derivatives (1), relative to the largest influence.
double jsens_plan_rounding(const jsens_result* r, int order);

// r->is_within, of estimates that have changed.
void jsens_plan_settle(const jsens* s, const jsens_options* opt, jsens_result* r);

// Whether steps were far too long for the derivatives.
bool jsens_plan_is_rough(const jsens_options* opt, const jsens_result* r);

// Whether the run is to be repeated: steps were far too long for the derivatives, one is not a number, or a
// tolerance that was asked for is missed.
bool jsens_plan_repeats(const jsens* s, const jsens_options* opt, const jsens_result* r);

// Change the options for another run: shorter steps where derivatives were rough, the implicit method where
// that would be too many, or a smaller tolerance. *again is false where that would take far too many steps.
jo_status jsens_plan_next(jsens_plan* p, const jsens* s, const jsens_result* r, jsens_options* opt,
                          bool* again);

#endif
