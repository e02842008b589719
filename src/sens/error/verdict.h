// SPDX-License-Identifier: Apache-2.0
// Whether values of many runs are in doubt, and one warning for all of them: of every objective and cause, of how many points,
// and of the worst.
#ifndef JSENS_VERDICT_H
#define JSENS_VERDICT_H

#include "sens/sens.h"

typedef enum jsens_cause {
  JSENS_SURE,
  JSENS_LOST,    // its signal, or the power of it, is below what the run resolves
  JSENS_STATES,  // errors of the states show in its signal
  JSENS_END,     // errors of the states at the end of the run show in it
  JSENS_STEPS,   // shorter steps change it
  JSENS_FAILS,   // with shorter steps the run fails
  JSENS_CUT,     // a condition ended the run inside of its window
  JSENS_ADDS,    // errors of the steps add up: a more accurate run changes it, or fails
  JSENS_CAUSES
} jsens_cause;

// Of the value of an objective. Without padding: journals keep it as it is.
typedef struct jsens_value_doubt {
  double
      off;  // how far it may be off, relative to it; infinite: it is lost. 0: not by as much as is worth a word
  double other;   // STEPS: what it is with shorter steps, about; CUT: seconds that are missing
  double single;  // of single precision: how far it is from double precision, relative
  int64_t cause;  // jsens_cause
} jsens_value_doubt;

// Of a run.
typedef struct jsens_verdict {
  bool is_checked;
  bool is_near;      // it passes a singular position
  int unresolved;    // one plus the first state that fixed steps do not follow; 0: none ...
  double resolving;  // ... and steps that would [s]
  double growth;    // it starts at an equilibrium where a small push grows with this rate [1/s] ...
  int growing;      // ... most in this state
  unsigned wheels;  // faults of wheels there, see plant/start/wheels.h
  jsens_value_doubt* value;  // (nobjective)
} jsens_verdict;

// By a run with `check`; `value` has its place.
void jsens_verdict_of(const jmodel* m, const jsens_result* r, jsens_verdict* out);

// By one that fails, though the point it checks has values: its motion is made by the steps.
void jsens_verdict_of_failure(const jmodel* m, jsens_verdict* out);

// What is in doubt, in one line without hints; "": nothing is.
#define JSENS_VERDICT_TEXT 512
void jsens_verdict_text(const jsens* s, const jsolve_options* solve, const jsens_verdict* v,
                        const double* value, char text[JSENS_VERDICT_TEXT]);

typedef struct jsens_worst {
  int n;  // points
  double off, value, other;
} jsens_worst;

// Those of many points.
typedef struct jsens_verdicts {
  const jsens* sens;
  const jsolve_options* solve;
  int checked, unresolved, near, unstable;
  int state;         // that the first unresolved point does not follow
  double resolving;  // the shortest steps [s]
  double growth;     // of the worst unstable start [1/s] ...
  int growing;       // ... and its state
  jsens_worst* of;   // nobjective x JSENS_CAUSES
} jsens_verdicts;

// All of none. Its memory is the arena's.
jo_status jsens_verdicts_begin(jarena* a, const jsens* s, const jsolve_options* solve,
                               jsens_verdicts* out);
void jsens_verdicts_add(jsens_verdicts* v, const jsens_verdict* of, const double* value);

// Warnings of them, of `points` in all.
void jsens_verdicts_warn(jo_context* ctx, const jsens_verdicts* v, int points);

#endif
