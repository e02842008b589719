// SPDX-License-Identifier: Apache-2.0
// Are the derivatives of a run as accurate as they were wanted, and if not, how is the next run to be
// taken? docs/theory/sensitivity.md, "Accuracy".
#ifndef JSTUDY_SENS_PLAN_H
#define JSTUDY_SENS_PLAN_H

#include "study/sens.h"

// Limits of steps along a run, made from the steps of the run before.
typedef struct jstudy_plan {
  jo_context* ctx;
  int n, cap;
  struct jstudy_plan_limit {
    double t0, t1, h;  // steps that begin in [t0, t1) are not longer than h [s]
  } * limit;
} jstudy_plan;

void jstudy_plan_begin(jstudy_plan* p, jo_context* ctx);
void jstudy_plan_end(jstudy_plan* p);

// Relative error wanted of derivatives.
double jstudy_plan_tolerance(const jstudy_sens_options* opt);

// Completes the estimates of a walk with what every derivative must be granted, and judges them:
// r->is_within.
void jstudy_plan_judge(const jstudy_sens* s, const jstudy_sens_options* opt, jstudy_sens_result* r);

// Whether the run is to be repeated: steps were far too long for the derivatives, one is not a number, or a
// tolerance that was asked for is missed.
bool jstudy_plan_repeats(const jstudy_sens* s, const jstudy_sens_options* opt,
                         const jstudy_sens_result* r);

// Change the options for another run: shorter steps where derivatives were rough, the implicit method where
// that would be too many, or a smaller tolerance. *again is false where that would take far too many steps.
jo_status jstudy_plan_next(jstudy_plan* p, const jstudy_sens* s, const jstudy_sens_result* r,
                           jstudy_sens_options* opt, bool* again);

#endif
