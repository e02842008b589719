// SPDX-License-Identifier: Apache-2.0
// Whether looks into a step show how fast its conditions change. Four margins s_0 ... s_3 at equal distances lie on a cubic p. One more look is
// taken shortly behind one of them (docs/theory/integration.md eq. (I9)): a condition that goes up and down between the looks has another slope there,
//   | s(t_i + d) - p(t_i + d) |  >  HIDDEN d max |s_j|      d in distances between looks
// whichever phases the looks meet. Motions that the steps resolve pass by far: an oscillation of 3 rad in three distances
// is at the limit, and one is lost from 9 rad on.
#ifndef JSOLVE_LOOKS_H
#define JSOLVE_LOOKS_H

#include "base/mem.h"

enum { JSOLVE_LOOKS = 4 };

typedef struct jsolve_looks {
  int n;                    // switches
  double noise;             // of their margins, times max(1, largest)
  const bool* is_known;     // otherwise than by looks: never hidden (n); NULL: none is
  double* s[JSOLVE_LOOKS];  // margins, the last looks in order
  double* behind;           // shortly behind one of them
} jsolve_looks;

// d behind look i, 1 or 2: not the same, so that no period fits into both.
double jsolve_look_behind(int i);

// False: out of memory.
bool jsolve_looks_init(jsolve_looks* l, jarena* a, int n, double tolerance);

// Makes room for the next look: returns where its margins go.
double* jsolve_looks_next(jsolve_looks* l);

// The first switch that changes faster than the looks show, with `behind` taken behind look i, 1 or 2; -1: none. largest: what
// each switching function has been so far, which noise goes by.
int jsolve_looks_hidden(const jsolve_looks* l, int i, const double* largest);

// Whether a margin comes near zero between looks at which it has not crossed.
bool jsolve_looks_near(const jsolve_looks* l);

#endif
