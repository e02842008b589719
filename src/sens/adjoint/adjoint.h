// SPDX-License-Identifier: Apache-2.0
// Inside of the adjoint method: what its steps (adjoint.c), errors (adjoint_error.c) and events (adjoint_event.c) share.
#ifndef JSENS_ADJOINT_H
#define JSENS_ADJOINT_H

#include <string.h>

#include "sens/walk.h"

// Lanes of the weights; kernels may have more.
enum { JSENS_LAMBDA, JSENS_ERROR, JSENS_WEIGHTS };

typedef struct jsens_adjoint {
  jsens_walk* w;
  int objective;
  int lanes;                   // of the kernels
  bool estimates;              // errors too
  double* lambda;              // ny x lanes
  double* pbar;                // nw x lanes
  double* Ybar[JSENS_SLOPES];  // ny x lanes
  double* Kbar[JSENS_SLOPES];  // implicit steps: weights of slopes
  double *kbar, *ybar, *p_part, *tbar, *Pbar, *unit, *y_mixed, *P, *column;
  double*
      pending;  // weights of times that consequences have put aside, by switch of their cause (nswitch x lanes)
  double* alpha;     // of an event (lanes)
  double* end_time;  // weight of the end of the run (lanes)
  jsens_trace trace;
  int first_grown;   // of this objective
  double end_doubt;  // size of the error that lambda begins with
  double* felt;  // largest errors of derivatives on the way, when those of weights had decayed (nw)
  bool is_large;                                   // those of weights
  double motion;                                   // errors of the motion, weighted and added up
  double *kept_lambda, *kept_pbar, *kept_pending;  // while an event is taken once more
  double* tail[JSENS_TAIL_PARTS];  // of weights along a step (ny); the third also of pbar
  jsens_stretches stretches;       // of steps that left something out
  int last_blind;                  // entry of the last of them
  double* last;                    // what it left out (ny)
  double* behind;                  // by entry: size of the error with what its step left out
  int nevent;
} jsens_adjoint;

// x += a y, all lanes
static inline void jsens_adjoint_add(const jsens_adjoint* d, double* restrict x, double a,
                                     const double* restrict y, int n) {
  d->w->lanes->add(n * d->lanes, x, a, y);
}

static inline void jsens_adjoint_clear(const jsens_adjoint* d, double* x, int n) {
  memset(x, 0, (size_t)(n * d->lanes) * sizeof *x);
}

// One lane of x times a plain vector.
static inline double jsens_adjoint_dot(const jsens_adjoint* d, const double* x, int lane,
                                       const double* y, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += x[i * d->lanes + lane] * y[i];
  }
  return sum;
}

// What stands in two arrays changes places.
static inline void jsens_adjoint_exchange(double* a, double* b, int n) {
  for (int i = 0; i < n; i++) {
    double x = a[i];
    a[i] = b[i];
    b[i] = x;
  }
}

// adjoint.c
// A kernel's ybar and tbar; its pbar is added up.
void jsens_adjoint_weigh_into(jsens_adjoint* d, jgen_fn kernel, jsens_point* at, double* ybar);
void jsens_adjoint_weigh(jsens_adjoint* d, jgen_fn kernel, jsens_point* at);
// (S6)  what falls on the dependent coordinates of `weight` goes to the independent ones and the numbers
void jsens_adjoint_close(jsens_adjoint* d, double t, const double* y, double* weight, double* time);

// adjoint_error.c
bool jsens_adjoint_begin_errors(jsens_adjoint* d);
void jsens_adjoint_clear_errors(jsens_adjoint* d);
// (S17)  the embedded method makes of lambda what the step adds to its error; by `factor` of a slope
void jsens_adjoint_seed(const jsens_adjoint* d, double* kbar, double factor);
jo_status jsens_adjoint_account(jsens_adjoint* d, int entry);
// (S27)  what a step left out of the weights, before they go through it, and with them behind it
double jsens_adjoint_left_out(jsens_adjoint* d, const jsens_entry* e, const double* y0,
                              const double* y1);
void jsens_adjoint_add_left_out(jsens_adjoint* d, int entry, double share);
// The next step that leaves something out begins a stretch of its own.
void jsens_adjoint_end_stretch(jsens_adjoint* d);
// (S18)  what lambda would be at an end off by as much as a run may be is an error it begins with
void jsens_adjoint_doubt_end(jsens_adjoint* d);
void jsens_adjoint_put_errors(jsens_adjoint* d, int o);

// adjoint_change.c
void jsens_adjoint_change(jsens_adjoint* d, const jsens_entry* e);

// adjoint_event.c
jo_status jsens_adjoint_event(jsens_adjoint* d, const jsens_entry* e);

#endif
