// SPDX-License-Identifier: Apache-2.0
// What a step does not resolve, and its embedded method does not see: a corner of the equations between two
// stages. docs/theory/sensitivity.md eqs. (S26), (S27).
#ifndef JSENS_TAIL_H
#define JSENS_TAIL_H

#include "solve/tableau.h"

// Coefficients of slopes along a step by Legendre polynomials, and how much two slopes at its end differ.
enum { JSENS_TAIL_FIRST, JSENS_TAIL_SECOND, JSENS_TAIL_THIRD, JSENS_TAIL_AGAIN, JSENS_TAIL_PARTS };
// Slopes that they are made of: of stages, the last of them at the end of the step, and of the end itself.
enum { JSENS_TAIL_STAGES = 4, JSENS_TAIL_NODES };

typedef struct jsens_tail {
  bool is_there;  // the method has such stages
  int skipped;    // coefficients behind the third that a step integrates
  int stage[JSENS_TAIL_NODES];
  int end;  // node that stands for the end of the step in the first three parts
  double weight[JSENS_TAIL_PARTS][JSENS_TAIL_NODES];
} jsens_tail;

jsens_tail jsens_tail_of(const jsolve_tableau* tab);

// One of the parts, from the slopes at the nodes.
static inline double jsens_tail_sum(const jsens_tail* t, int part, const double* slope) {
  const double* w = t->weight[part];
  return w[0] * slope[0] + w[1] * slope[1] + w[2] * slope[2] + w[3] * slope[3] + w[4] * slope[4];
}

// (S27)  How much of the third coefficient is left out of the step, by the sizes of the parts.
double jsens_tail_share(const jsens_tail* t, const double size[JSENS_TAIL_PARTS]);

// Stretches of steps that left something out, as one probe carries them on: their parts have a size and no sign, and may
// cancel where there are several.
typedef struct jsens_stretches {
  double present, largest, all;  // sizes
} jsens_stretches;

// A step left out this much: of the stretch at present, or of another one.
void jsens_stretches_add(jsens_stretches* s, double size, bool is_new);
// How much less than the largest of them a probe of several may show.
double jsens_stretches_doubt(const jsens_stretches* s);

#endif
