// SPDX-License-Identifier: Apache-2.0
// What the direct and the adjoint method share: the plant's kernels, and a recorded run walked again.
#ifndef JSTUDY_WALK_H
#define JSTUDY_WALK_H

#include "solve/implicit.h"
#include "solve/tableau.h"
#include "study/sens.h"

// A Runge-Kutta method with its combinations of slopes.
typedef struct jstudy_scheme {
  const jsolve_tableau* tab;  // NULL: not used
  jsolve_combination a[JSOLVE_MAX_STAGES], b, e;
} jstudy_scheme;

enum { JSTUDY_SLOPES = JSOLVE_MAX_STAGES + 1 };  // of the stages, and of the end

typedef struct jstudy_walk {
  jo_context* ctx;
  jarena arena;
  const jstudy_sens* sens;
  const jgen_dynamics* d;
  jstudy_run* run;  // kernels of the plant; its modes are set as the walk goes
  const jstudy_record* record;
  jstudy_scheme scheme[2];  // explicit, implicit
  jsolve_implicit im;       // of implicit steps
  jsolve_weights weights;   // for stages that are solved again
  const jstudy_sens_options* opt;
  jstudy_sens_result* out;
  int ny, nu, nv, nw;
  const double* S0;              // d y0 / d number (ny x nw)
  double* k[JSTUDY_SLOPES];      // slopes of a step (ny): our own, or those of the record
  double* own[JSTUDY_SLOPES];    // (ny)
  double* Y[JSOLVE_MAX_STAGES];  // arguments of its stages (ny)
  double* base;                  // scratch (ny)
  double *f_minus, *f_plus;
  double* modes;  // scratch (nswitch)
  double **tangent_work, **adjoint_work;
} jstudy_walk;

// Arguments of a derivative kernel; what it does not read may be NULL.
typedef struct jstudy_point {
  double t;
  const double *y, *mode, *momentum;
  const double *dy, *dt, *dp, *dmomentum;  // lanes
  const double* lambda;
} jstudy_point;

// Tangent or adjoint of a function.
void jstudy_walk_tangent(jstudy_walk* w, jgen_fn f, const jstudy_point* at, double* const* out);
void jstudy_walk_weigh(jstudy_walk* w, jgen_fn f, const jstudy_point* at, double* const* out);

jo_status jstudy_walk_begin(jstudy_walk* w, jo_context* ctx, const jstudy_sens* s, jstudy_run* run,
                            const jstudy_record* record, const jstudy_sens_options* opt,
                            jstudy_sens_result* out);
void jstudy_walk_end(jstudy_walk* w);

void jstudy_walk_set_modes(jstudy_walk* w, const double* mode);
const jstudy_scheme* jstudy_walk_scheme(const jstudy_walk* w, const jstudy_entry* e);
// Time of a stage; that of the end where i is the number of stages.
double jstudy_walk_stage_time(const jstudy_walk* w, const jstudy_entry* e, int i);
// Stages of a recorded step from y0: Y, k.
jo_status jstudy_walk_stages(jstudy_walk* w, const jstudy_entry* e, const double* y0);
// Matrices of an implicit stage with argument y, for derivatives of it.
jo_status jstudy_walk_matrices(jstudy_walk* w, const jstudy_entry* e, double t, const double* y);
// Its projected end, from the slopes k.
jo_status jstudy_walk_end_step(jstudy_walk* w, const jstudy_entry* e, const double* y0, double* y);
// The whole step.
jo_status jstudy_walk_step(jstudy_walk* w, const jstudy_entry* e, const double* y0, double* y);
// y, off by as much as a run may be: DOUBT tolerances of each state, with signs that do not matter.
void jstudy_walk_shift(const jstudy_walk* w, const double* y, double* shifted);
// The end of the run, off by one tolerance, with its integrals as they are: their errors are known.
void jstudy_walk_shift_end(const jstudy_walk* w, double* shifted);
// Whether driven coordinates jump at an event.
bool jstudy_walk_jumps(jstudy_walk* w, const jstudy_entry* e);

// How the error of the derivatives came about along a walk: what direct and adjoint method keep of it.
typedef struct jstudy_trace {
  double *error, *running;  // by entry: error of the derivatives, and their largest size so far
  double largest;
} jstudy_trace;

bool jstudy_trace_begin(jstudy_walk* w, jstudy_trace* t);
void jstudy_trace_clear(jstudy_walk* w, jstudy_trace* t);
// One more entry, in the order of the walk.
void jstudy_trace_note(jstudy_trace* t, int entry, double size, double error);
// Errors relative to the derivatives: to the largest of all, since they build up from nothing, but no
// more than a limit beyond the present one, so that some that run away do not hide it.
double jstudy_trace_part(const jstudy_trace* t, int entry);
// The largest factor by which derivatives that matter at the end grew over each entry of the walk, into
// growth where it is larger; from the first entry on, or from the last one back.
void jstudy_trace_growth(const jstudy_trace* t, int nentry, bool backward, double* growth);

// tangent.c, adjoint.c
jo_status jstudy_walk_direct(jstudy_walk* w);
jo_status jstudy_walk_adjoint(jstudy_walk* w);

#endif
