// SPDX-License-Identifier: Apache-2.0
// Inside of one integration: what the driver (integrate.c), the steppers (rk.c, cvode.c) and the events
// (events.c) share. A stepper proposes a step from (t, y) to (t_new, y_new); the driver shortens it
// where an event lies inside, shows it to the observer and then accepts it.
#ifndef JSOLVE_RUN_H
#define JSOLVE_RUN_H

#include "solve/algebra/norm.h"
#include "solve/drift.h"
#include "solve/ode.h"

typedef struct jsolve_run jsolve_run;
typedef struct jsolve_stepper jsolve_stepper;

// Continuous state inside of a step; what jsolve_step.dense points at.
typedef struct jsolve_dense jsolve_dense;
struct jsolve_dense {
  void (*eval)(const jsolve_dense* d, double t, double* y);
  void (*slope)(const jsolve_dense* d, double t, double* ydot);  // its derivative
};

struct jsolve_stepper {
  const jsolve_dense* dense;  // of the proposed step
  double* const* k;           // slopes of its stages; NULL: not a Runge-Kutta method
  const double* error;        // of the proposed step, an estimate; NULL: the method has none
  bool is_implicit;
  bool is_drifted, is_located;  // jsolve_step
  // an explicit one: stability, not accuracy, holds the steps down; an implicit one: it does not any more
  bool wants_other;
  double h_next;  // suggested next step, adaptive methods of our own
  // (t, y) is new: start, or an event changed the state or the modes
  jo_status (*restart)(jsolve_stepper* s, jsolve_run* run);
  // propose a step within the tolerances: sets t_new and y_new (projected); dense is valid
  jo_status (*advance)(jsolve_stepper* s, jsolve_run* run);
  // propose a shorter one, ending at t1: sets t_new and y_new (projected); dense is not valid
  jo_status (*retake)(jsolve_stepper* s, jsolve_run* run, double t1);
  // remember the step that is proposed, and propose it again, dense output and all, after others were; NULL: it has to be
  // taken once more
  void (*keep)(jsolve_stepper* s, jsolve_run* run);
  void (*restore)(jsolve_stepper* s, jsolve_run* run);
  // make dense valid again after the last retake
  jo_status (*finish)(jsolve_stepper* s, jsolve_run* run);
  // take what a stiff system damps at once out of a defect times h; NULL: nothing
  void (*filter)(jsolve_stepper* s, double* defect);
  // whether the proposed step, cut at an event or not, may be taken; NULL: it may
  jo_status (*judge)(jsolve_stepper* s, jsolve_run* run, bool is_event);
  // whether the step just taken may decide what its event did: ended the run, or reset states; NULL: it may
  jo_status (*judge_event)(jsolve_stepper* s, jsolve_run* run);
  // the proposed step was taken: (t, y) is its end and the modes are unchanged
  jo_status (*accept)(jsolve_stepper* s, jsolve_run* run);
  void (*destroy)(jsolve_stepper* s, jsolve_run* run);
};

struct jsolve_run {
  jo_context* ctx;
  jarena arena;
  const jsolve_system* sys;
  const jsolve_options* opt;
  const jsolve_observer* obs;
  jsolve_statistics stats;
  jsolve_weights weights;
  jsolve_drift drift;
  jsolve_stepper* stepper;
  jsolve_stepper* other;  // of `auto`, the one at rest; NULL: never needed
  double t_begin, t_end;
  double t, *y;          // last accepted state
  double t_new, *y_new;  // end of the proposed step
  double* scratch;       // n
  double* scan;          // 3 n
  double scan_spacing;   // [s]
  bool has_jumped;       // the last event reset states
  bool has_failed;       // a projection did, the last time at ...
  double t_failed;
  double error;         // estimate of the step that is tried, in tolerances; 0: the method has none
  double tried;         // length of that step, before an event cut it [s]
  const double* stage;  // of that step, parts of it (nstage); none where the method has no stages
  int nstage;
  double again;  // the part of it to be tried next where its end is not good
};

// States that change at events only are what they were at the start of the step.
static inline void jsolve_hold(const jsolve_system* sys, const double* from, double* y) {
  for (int i = 0; i < sys->nconstant; i++) {
    y[sys->constant[i]] = from[sys->constant[i]];
  }
}

static inline bool jsolve_has_ended(const jsolve_run* run) {
  return run->sys->has_ended && *run->sys->has_ended;
}

static inline void jsolve_rhs(jsolve_run* run, double t, const double* y, double* f) {
  run->stats.evaluations++;
  run->sys->rhs(run->sys->user, t, y, f);
}

// Put y back on its invariants; `*moved` is how far that was, in the error norm. Reports nothing. Fails
// too where nothing but steps of no length succeed.
jo_status jsolve_project(jsolve_run* run, double t, double* y, double* moved);

// The same where nothing can be done about a failure: reports it.
jo_status jsolve_project_strict(jsolve_run* run, double t, double* y);
jo_status jsolve_fail_projection(jsolve_run* run, jo_status status, double t);

#endif
