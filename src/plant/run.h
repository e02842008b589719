// SPDX-License-Identifier: Apache-2.0
// Opening, advancing and closing a run of a plant. Whatever integrates the equations of a plant in time goes through here,
// so that all runs begin with the same checks, in the same state and modes, and explain failures alike.
#ifndef JPLANT_RUN_H
#define JPLANT_RUN_H

#include "plant/start/start.h"

typedef struct jplant_run_options {
  const double*
      p;          // values of the live numbers (np); NULL: the model's, with the plant's own start
  int nw;         // with p: derivatives of the start with respect to the first nw numbers
  double t_end;   // [s], for windows of objectives; NaN: objectives are not asked for
  bool is_near;   // p are beside values that were checked, and may be just outside of their ranges
  bool is_quiet;  // no warnings of the start: the caller gives them, once for many runs
} jplant_run_options;

typedef struct jplant_run {
  jplant_work* work;
  jplant_start start;
  double t;   // where it is [s] ...
  double* y;  // ... and its state (ny)
} jplant_run;

// Creates the work space, begins (see below) and goes to the start. On failure there is nothing to close. States are in the
// arena.
jo_status jplant_run_open(jo_context* ctx, jarena* a, const jplant* p,
                          const jplant_run_options* opt, jplant_run* out);

// The same at a state whose start was found and checked before: a run taken once more.
jo_status jplant_run_open_at(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                             double t, const double* y, jplant_run* out);

// Checks values and windows of objectives, finds the start, warns of it, and checks that equations hold there: for work
// space that is used for one run after another. Its numbers and modes are those of the start afterwards.
jo_status jplant_run_begin(jplant_work* w, jarena* a, const jplant_run_options* opt,
                           jplant_start* out);

// Integrates to t_end [s], or to where a condition ends the run. On failure t and y are those of the last accepted step, and
// the message names the cause as far as the plant knows it. statistics may be NULL.
jo_status jplant_run_advance(jplant_run* r, const jsolve_options* solve,
                             const jsolve_observer* observer, double t_end,
                             jsolve_statistics* statistics);

void jplant_run_close(jplant_run* r);

#endif
