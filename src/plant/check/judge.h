// SPDX-License-Identifier: Apache-2.0
// How far objectives of a run may be off because their signals are small: errors of integrals and of filters are
// measured by the size that the objective names, or 1, and a signal well below that has few true digits.
// docs/theory/sensitivity.md eq. (O6), (O8)
#ifndef JPLANT_JUDGE_H
#define JPLANT_JUDGE_H

#include "plant/plant.h"
#include "solve/tableau.h"

#define JPLANT_RECENT  8     // steps whose errors are kept
#define JPLANT_DOUBTED 0.01  // relative errors of objectives below are not worth a word

// What is seen of an objective along a run, in its window. w is its integral.
typedef struct jplant_seen {
  int first, n;            // states of its filter in y; n = 0: it has none
  double fed;              // largest of them
  double off;              // largest error of theirs
  double w, grown, w_off;  // sums of dw, of |dw|, of errors of w
  double time;             // in which it grew [s]
  double noise;            // sum of powers of what errors of steps change its signal by, ...
  int looks;               // ... and of how many of them
} jplant_seen;

typedef struct jplant_judge {
  const jplant* plant;
  double rel_tol, abs_tol;  // zero of fixed steps: they are held to nothing, and not judged
  const jsolve_tableau *tab, *implicit;  // NULL: not a Runge-Kutta method, or it has none
  jplant_seen* of;                       // (nintegral)
  double* recent;  // errors of the last steps (JPLANT_RECENT x ny); NULL: nobody reads them
  int nrecent, next;
  double* moved;  // a state moved by the error of a step, and its slope (2 ny); NULL: not needed
  int steps;
} jplant_judge;

jo_status jplant_judge_begin(jarena* a, const jplant* p, const jsolve_options* solve,
                             jplant_judge* out);
void jplant_judge_step(jplant_judge* j, const jsolve_step* s);

// The partition changes: errors of steps before are those of other states.
void jplant_judge_change(jplant_judge* j);

typedef struct jplant_doubt {
  double
      error;  // how far the value may be off, relative to it, as far as that is known; 0: not by as much as is worth a word
  bool or_more;    // steps are too long to tell
  bool by_states;  // most of it comes from errors of the states
  double size;     // of the signal, behind its filter
  double fed;      // what goes into the filter, about; 0: there is none
} jplant_doubt;

jplant_doubt jplant_judge_value(const jplant_judge* j, int objective);

// How far objectives that read the end (t, y) of a run, psi there, may be off by errors of steps like the last ones, in their
// own units; 0: not by as much as is worth a word. work: ny + nobjective.
void jplant_judge_end(const jplant_judge* j, jmachine* m, double t, const double* y,
                      const double* psi, double* work, double* error);

// (S44)  How far relative changes of the states at the end (t, y) of a run move objectives, psi there, whatever cancels between
// them. work: ny + nobjective.
void jplant_judge_reach(const jplant* p, jmachine* m, double t, const double* y, const double* psi,
                        double* work, double* reach);

// Warn of an objective that is in doubt, with its value.
void jplant_warn_doubt(jo_context* ctx, const jmodel_objective* o, double value,
                       const jplant_doubt* d);

// Warns of an objective whose value changes to `other` with steps of `shorter` instead of `step` [s].
void jplant_warn_step(jo_context* ctx, const jmodel_objective* o, double value, double other,
                      double step, double shorter);

void jplant_warn_end(jo_context* ctx, const jmodel_objective* o, double value, double error);

#endif
